import {
  type DatasetItem,
  type DatasetSummary,
  type DatasetVersion,
  formatTimestamp,
  parseTimestamp,
} from '@dacapo/protocol';
import type {
  ChangedDataset,
  DatasetChange,
  ListedDatasetItem,
  NewDatasetItem,
} from '../ports/dataset-change.js';
import type { Range } from '../ports/range.js';
import { DatasetVersions, type StagedChange } from './dataset-versions.js';
import { withoutNulls } from './rows.js';
import type { MetaTransaction } from './transaction.js';

interface SummaryRow {
  name: string;
  description: string | null;
  created_us: number;
  version: number | null;
  item_count: number | null;
  updated_us: number | null;
}

interface ItemRow {
  item_id: string;
  item_no: number;
  item_bytes: number;
  trace_id: string | null;
  span_id: string | null;
}

const SELECT = `SELECT d.name, d.description, d.created_us, v.version, v.item_count, v.created_us AS updated_us
  FROM datasets d LEFT JOIN dataset_versions v ON v.dataset_no = d.dataset_no
    AND v.version = (SELECT max(version) FROM dataset_versions WHERE dataset_no = d.dataset_no)
  WHERE d.account_id = :accountId`;

const THE_DATASET = '(SELECT dataset_no FROM datasets WHERE account_id = :accountId AND name = :name)';

/**
 * Datasets: names, versions that never change, and copies of calls. Every method is limited to one account. A dataset without versions
 * has version 0, which is empty. `MetaStore` adds `change`, which accepts items from a stream.
 */
export class Datasets {
  static readonly writes = ['create', 'delete', 'stage', 'unstage', 'forgetStaged', 'commitStaged'] as const;

  constructor(private readonly db: MetaTransaction) {}

  /** @returns `false` if the name exists */
  async create(
    accountId: string,
    { name, description, createdAt }: { name: string; description?: string; createdAt: string },
  ): Promise<boolean> {
    const row = { account_id: accountId, name, description, created_us: parseTimestamp(createdAt) };
    return (await this.db.insert('datasets', row, 'ON CONFLICT DO NOTHING')) === 1;
  }

  async find(accountId: string, name: string): Promise<DatasetSummary | undefined> {
    const row = await this.db.get<SummaryRow>(`${SELECT} AND d.name = :name`, { accountId, name });
    return row && toSummary(row);
  }

  /** Sorted by the bytes of the names. */
  async list(accountId: string, { limit, after = '' }: Range<string>): Promise<DatasetSummary[]> {
    const sql = `${SELECT} AND d.name > :after ORDER BY d.name LIMIT :limit`;
    return (await this.db.all<SummaryRow>(sql, { accountId, after, limit })).map(toSummary);
  }

  /** Latest first. */
  async listVersions(
    accountId: string,
    name: string,
    { limit, after = Number.MAX_SAFE_INTEGER }: Range<number>,
  ): Promise<DatasetVersion[]> {
    return new DatasetVersions(this.db).list(THE_DATASET, { accountId, name, limit, after });
  }

  async findNumber(accountId: string, name: string): Promise<number | undefined> {
    const sql = `SELECT ${THE_DATASET} AS n`;
    return (await this.db.get<{ n: number | null }>(sql, { accountId, name }))?.n ?? undefined;
  }

  /** Stores items under the mark of a change, until `commitStaged` adds them to a version. Copies of deleted traces are skipped. */
  async stage(change: StagedChange, items: readonly NewDatasetItem[]): Promise<void> {
    await new DatasetVersions(this.db).stage(change, items);
  }

  /** Creates a version from the staged items. @returns `undefined` if the dataset was deleted */
  commitStaged(
    change: StagedChange,
    details: Omit<DatasetChange, 'add'>,
  ): Promise<ChangedDataset | undefined> {
    return new DatasetVersions(this.db).commit(change, details);
  }

  /** Deletes items that were staged before that time. */
  async forgetStaged(before: string): Promise<void> {
    await this.db.run('DELETE FROM dataset_items WHERE staged < :before', { before });
  }

  async unstage(staged: string): Promise<void> {
    await this.db.run('DELETE FROM dataset_items WHERE staged = :staged', { staged });
  }

  /** Items of a version, sorted by place. @param options `notIn`: skips items of this version */
  async listItems(
    accountId: string,
    name: string,
    version: number,
    { notIn }: { notIn?: number },
    { limit, after = -1 }: Range<number>,
  ): Promise<ListedDatasetItem[]> {
    const rows = await this.db.all<ItemRow>(
      `SELECT i.item_id, i.item_no, i.item_bytes, i.trace_id, i.span_id
        FROM dataset_members m JOIN dataset_items i ON i.item_no = m.item_no
        WHERE m.dataset_no = ${THE_DATASET} AND m.item_no > :after AND m.since <= :version AND m.until > :version
          ${notIn === undefined ? '' : NOT_IN_OTHER}
        ORDER BY m.item_no LIMIT :limit`,
      { accountId, name, version, after, notIn, limit },
    );
    return rows.map((row) =>
      withoutNulls({
        id: row.item_id,
        place: row.item_no,
        payload_bytes: row.item_bytes,
        trace_id: row.trace_id,
        span_id: row.span_id,
      }),
    );
  }

  /** These items of a version, in any order. Missing items are skipped. */
  async readItems(
    accountId: string,
    name: string,
    version: number,
    ids: readonly string[],
  ): Promise<DatasetItem[]> {
    const rows = await this.db.all<{ item: string }>(
      `SELECT i.item FROM ${this.db.dialect.texts(':ids')} w
        ${this.db.dialect.join} dataset_items i ON i.dataset_no = ${THE_DATASET} AND i.item_id = w.value
        ${this.db.dialect.join} dataset_members m ON m.dataset_no = i.dataset_no AND m.item_no = i.item_no
          AND m.since <= :version AND m.until > :version`,
      { ids: JSON.stringify(ids), accountId, name, version },
    );
    return rows.map(({ item }) => JSON.parse(item) as DatasetItem);
  }

  /** Deletes the dataset with all items and the outcomes accepted for them. Nothing stays on the disk. */
  async delete(accountId: string, name: string): Promise<boolean> {
    const of = { accountId, name };
    await this.db.run(
      `DELETE FROM accepted_outcomes WHERE account_id = :accountId AND source IN (
        SELECT 'item/' || item_id FROM dataset_items WHERE dataset_no = ${THE_DATASET})`,
      of,
    );
    for (const table of ['dataset_members', 'dataset_versions', 'dataset_items']) {
      await this.db.run(`DELETE FROM ${table} WHERE dataset_no = ${THE_DATASET}`, of);
    }
    return (
      (await this.db.run('DELETE FROM datasets WHERE account_id = :accountId AND name = :name', of)) === 1
    );
  }
}

const NOT_IN_OTHER = `AND NOT EXISTS (SELECT 1 FROM dataset_members o WHERE o.dataset_no = m.dataset_no
  AND o.item_no = m.item_no AND o.since <= :notIn AND o.until > :notIn)`;

function toSummary(row: SummaryRow): DatasetSummary {
  return withoutNulls({
    name: row.name,
    description: row.description,
    created_at: formatTimestamp(row.created_us),
    updated_at: formatTimestamp(row.updated_us ?? row.created_us),
    latest_version: row.version ?? 0,
    item_count: row.item_count ?? 0,
  });
}
