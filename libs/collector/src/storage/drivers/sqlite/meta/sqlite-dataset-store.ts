import {
  type DatasetItem,
  type DatasetSummary,
  type DatasetVersion,
  formatTimestamp,
  parseTimestamp,
} from '@dacapo/protocol';
import { createHash, randomUUID } from 'node:crypto';
import type {
  ChangedDataset,
  DatasetChange,
  DatasetStore,
  ListedDatasetItem,
  NewDatasetItem,
} from '../../../dataset-store.js';
import type { Range } from '../../../span-store.js';
import type { ReaderPool } from '../reader-pool.js';
import type { Connection, Step } from '../connection.js';
import type { SqlParameter } from '../sql-value.js';
import { changeSteps, CHANGED } from './dataset-change-steps.js';

interface SummaryRow {
  name: string;
  description: string | null;
  created_us: number;
  version: number | null;
  item_count: number | null;
  updated_us: number | null;
}

interface VersionRow extends Pick<DatasetVersion, 'version' | 'base' | 'item_count' | 'added' | 'removed'> {
  note: string | null;
  created_us: number;
}

const SELECT_DATASETS = `SELECT d.name, d.description, d.created_us, v.version, v.item_count, v.created_us AS updated_us
  FROM datasets d LEFT JOIN dataset_versions v ON v.dataset_no = d.dataset_no
    AND v.version = (SELECT max(version) FROM dataset_versions WHERE dataset_no = d.dataset_no)
  WHERE d.account_id = ?`;

const VERSION_COLUMNS = 'version, base, item_count, added, removed, note, created_us';

const THE_DATASET = '(SELECT dataset_no FROM datasets WHERE account_id = ? AND name = ?)';

const IN_VERSION = (version: string): string => `m.since <= ${version} AND m.until > ${version}`;

export class SqliteDatasetStore implements DatasetStore {
  constructor(
    private readonly writer: Connection,
    private readonly reader: ReaderPool,
  ) {}

  async create(
    accountId: string,
    { name, description, createdAt }: { name: string; description?: string; createdAt: string },
  ): Promise<boolean> {
    const [outcome] = await this.writer.write([
      {
        sql: `INSERT INTO datasets(account_id, name, description, created_us) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        rows: [[accountId, name, description, parseTimestamp(createdAt)]],
      },
    ]);
    return outcome?.changes === 1;
  }

  async find(accountId: string, name: string): Promise<DatasetSummary | undefined> {
    const [row] = await this.reader
      .of(accountId)
      .all<SummaryRow>(`${SELECT_DATASETS} AND d.name = ?`, [accountId, name]);
    return row && toSummary(row);
  }

  async list(accountId: string, { limit, after = '' }: Range<string>): Promise<DatasetSummary[]> {
    const rows = await this.reader
      .of(accountId)
      .all<SummaryRow>(`${SELECT_DATASETS} AND d.name > ? ORDER BY d.name LIMIT ?`, [
        accountId,
        after,
        limit,
      ]);
    return rows.map(toSummary);
  }

  async listVersions(
    accountId: string,
    name: string,
    { limit, after = Number.MAX_SAFE_INTEGER }: Range<number>,
  ): Promise<DatasetVersion[]> {
    const rows = await this.reader.of(accountId).all<VersionRow>(
      `SELECT ${VERSION_COLUMNS} FROM dataset_versions WHERE dataset_no = ${THE_DATASET} AND version < ?
        ORDER BY version DESC LIMIT ?`,
      [accountId, name, after, limit],
    );
    return rows.map(toVersion);
  }

  async change(
    accountId: string,
    name: string,
    { add, ...change }: DatasetChange,
  ): Promise<ChangedDataset | undefined> {
    const [dataset] = await this.reader
      .of(accountId)
      .all<{ dataset_no: number }>('SELECT dataset_no FROM datasets WHERE account_id = ? AND name = ?', [
        accountId,
        name,
      ]);
    if (dataset === undefined) return undefined;
    const target = { accountId, datasetNo: dataset.dataset_no, staged: randomUUID() };
    try {
      for await (const items of add) await this.writer.write([stagingStep(target, items)]);
      const outcomes = await this.writer.write(changeSteps(target, change));
      const found = outcomes[CHANGED.version]?.rows[0];
      if (found === undefined) return undefined;
      return {
        version: toVersion(found as unknown as VersionRow),
        isMade: outcomes[CHANGED.undone]?.changes === 0,
        unchanged: CHANGED.unchanged.reduce((sum, step) => sum + (outcomes[step]?.changes ?? 0), 0),
      };
    } finally {
      await this.writer.write([
        { sql: 'DELETE FROM dataset_items WHERE staged = ?', rows: [[target.staged]] },
      ]);
    }
  }

  async listItems(
    accountId: string,
    name: string,
    version: number,
    { notIn }: { notIn?: number },
    { limit, after = -1 }: Range<number>,
  ): Promise<ListedDatasetItem[]> {
    const without =
      notIn === undefined
        ? ''
        : `AND NOT EXISTS (SELECT 1 FROM dataset_members o WHERE o.dataset_no = m.dataset_no AND o.item_no = m.item_no
            AND o.since <= ? AND o.until > ?)`;
    const rows = await this.reader.of(accountId).all<{
      item_id: string;
      item_no: number;
      item_bytes: number;
      trace_id: string | null;
      span_id: string | null;
    }>(
      `SELECT i.item_id, i.item_no, i.item_bytes, i.trace_id, i.span_id
        FROM dataset_members m CROSS JOIN dataset_items i ON i.item_no = m.item_no
        WHERE m.dataset_no = ${THE_DATASET} AND m.item_no > ? AND ${IN_VERSION('?')} ${without}
        ORDER BY m.item_no LIMIT ?`,
      [...[accountId, name, after, version, version], ...(notIn === undefined ? [] : [notIn, notIn]), limit],
    );
    return rows.map(({ item_id: id, item_no: place, item_bytes: payload_bytes, trace_id, span_id }) => ({
      ...{ id, place, payload_bytes },
      ...(trace_id !== null && { trace_id }),
      ...(span_id !== null && { span_id }),
    }));
  }

  async readItems(
    accountId: string,
    name: string,
    version: number,
    ids: readonly string[],
  ): Promise<DatasetItem[]> {
    const rows = await this.reader.of(accountId).all<{ item: string }>(
      `SELECT i.item FROM json_each(?) w CROSS JOIN dataset_items i ON i.dataset_no = ${THE_DATASET} AND i.item_id = w.value
        CROSS JOIN dataset_members m ON m.dataset_no = i.dataset_no AND m.item_no = i.item_no AND ${IN_VERSION('?')}`,
      [JSON.stringify(ids), accountId, name, version, version],
    );
    return rows.map(({ item }) => JSON.parse(item) as DatasetItem);
  }

  async delete(accountId: string, name: string): Promise<boolean> {
    const of = [accountId, name];
    const outcomes = await this.writer.write([
      {
        sql: `DELETE FROM accepted_outcomes WHERE account_id = ? AND source IN (
          SELECT 'item/' || item_id FROM dataset_items WHERE dataset_no = ${THE_DATASET})`,
        rows: [[accountId, ...of]],
      },
      ...['dataset_members', 'dataset_versions', 'dataset_items'].map((table): Step => ({
        sql: `DELETE FROM ${table} WHERE dataset_no = ${THE_DATASET}`,
        rows: [of],
      })),
      { sql: 'DELETE FROM datasets WHERE account_id = ? AND name = ?', rows: [of] },
    ]);
    // Freed pages are overwritten (secure_delete); what the log still holds goes now.
    await this.writer.all('PRAGMA wal_checkpoint(TRUNCATE)');
    return outcomes.at(-1)?.changes === 1;
  }
}

function stagingStep(
  { accountId, datasetNo, staged }: { accountId: string; datasetNo: number; staged: string },
  items: readonly NewDatasetItem[],
): Step {
  return {
    sql: `INSERT INTO dataset_items(account_id, dataset_no, staged, item_id, hash, source, trace_id, span_id, item, item_bytes)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    rows: items.map(({ item, copyOf }): SqlParameter[] => {
      const json = JSON.stringify(item);
      const hash = createHash('sha256').update(json).digest();
      const { trace_id, span_id } = item.source ?? {};
      return [
        ...[accountId, datasetNo, staged, item.id, hash],
        ...[copyOf, trace_id, span_id, json, Buffer.byteLength(json)],
      ];
    }),
  };
}

function toSummary(row: SummaryRow): DatasetSummary {
  return {
    name: row.name,
    ...(row.description !== null && { description: row.description }),
    created_at: formatTimestamp(row.created_us),
    updated_at: formatTimestamp(row.updated_us ?? row.created_us),
    latest_version: row.version ?? 0,
    item_count: row.item_count ?? 0,
  };
}

function toVersion({ note, created_us, ...counts }: VersionRow): DatasetVersion {
  return { ...counts, ...(note !== null && { note }), created_at: formatTimestamp(created_us) };
}
