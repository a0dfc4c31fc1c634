import { type DatasetVersion, formatTimestamp, parseTimestamp } from '@dacapo/protocol';
import { createHash } from 'node:crypto';
import type { ChangedDataset, DatasetChange, NewDatasetItem } from '../ports/dataset-change.js';
import { findDeleted } from './deleted-traces.js';
import { withoutNulls } from './rows.js';
import type { MetaTransaction, Parameters } from './transaction.js';

interface VersionRow extends Omit<DatasetVersion, 'note' | 'created_at'> {
  note: string | null;
  created_us: number;
}

/** The dataset that a change belongs to, and the mark of its staged items. */
export interface StagedChange {
  accountId: string;
  datasetNo: number;
  staged: string;
}

/** The end of a member that is still in the latest version. */
const OPEN = Number.MAX_SAFE_INTEGER;

/** Item numbers of the base, which may differ from the latest version. */
const IN_BASE =
  'SELECT item_no FROM dataset_members WHERE dataset_no = :datasetNo AND since <= :base AND until > :base';
const IN_LATEST = `SELECT item_no FROM dataset_members WHERE dataset_no = :datasetNo AND until = ${OPEN}`;

/** The versions of datasets. An item is a member from version `since` up to but not including `until`. */
export class DatasetVersions {
  constructor(private readonly db: MetaTransaction) {}

  /** Latest first. @param dataset an SQL expression for its number */
  async list(dataset: string, parameters: Parameters): Promise<DatasetVersion[]> {
    const rows = await this.db.all<VersionRow>(
      `SELECT version, base, item_count, added, removed, note, created_us FROM dataset_versions
        WHERE dataset_no = ${dataset} AND version < :after ORDER BY version DESC LIMIT :limit`,
      parameters,
    );
    return rows.map(({ created_us, ...row }) =>
      withoutNulls({ ...row, created_at: formatTimestamp(created_us) }),
    );
  }

  async stage(
    { accountId, datasetNo, staged }: StagedChange,
    items: readonly NewDatasetItem[],
  ): Promise<void> {
    const deleted = await findDeleted(
      this.db,
      accountId,
      items.map(({ item }) => item.source?.trace_id),
      { withCopies: true },
    );
    const kept = items.filter(({ item }) => !deleted.has(item.source?.trace_id ?? ''));
    await this.db.insertAll(
      'dataset_items',
      kept.map(({ item, copyOf }) => {
        const json = JSON.stringify(item);
        return {
          account_id: accountId,
          dataset_no: datasetNo,
          staged,
          item_id: item.id,
          hash: createHash('sha256').update(json).digest(),
          source: copyOf,
          trace_id: item.source?.trace_id,
          span_id: item.source?.span_id,
          item: json,
          item_bytes: Buffer.byteLength(json),
        };
      }),
    );
  }

  async commit(
    change: StagedChange,
    { base: asked, ifLatest, remove, note, createdAt }: Omit<DatasetChange, 'add'>,
  ): Promise<ChangedDataset | undefined> {
    const { accountId, datasetNo } = change;
    const dataset = await this.db.get<{ created_us: number }>(
      'SELECT created_us FROM datasets WHERE account_id = :accountId AND dataset_no = :datasetNo',
      { accountId, datasetNo },
    );
    if (dataset === undefined) return undefined;
    const [latest = emptyVersion(dataset.created_us)] = await this.list(':datasetNo', {
      datasetNo,
      after: OPEN,
      limit: 1,
    });
    if (ifLatest !== undefined && ifLatest !== latest.version) {
      return { version: latest, isMade: false, isOutdated: true, unchanged: 0 };
    }
    const base = asked ?? latest.version;
    const made = { ...change, base, version: latest.version + 1, remove: JSON.stringify(remove) };
    const unchanged = await this.dropUnchanged(made);
    await this.keepSources(made);
    const before = await this.count(IN_BASE, made);
    const changes = await this.changeMembers(made);
    if (changes === 0) return { version: latest, isMade: false, unchanged };
    const added = await this.db.run('UPDATE dataset_items SET staged = NULL WHERE staged = :staged', made);
    const items = await this.count(IN_LATEST, made);
    const version = {
      version: made.version,
      base,
      item_count: items,
      added,
      removed: before + added - items,
    };
    const more = { note, created_us: parseTimestamp(createdAt) };
    await this.db.insert('dataset_versions', {
      account_id: accountId,
      dataset_no: datasetNo,
      ...version,
      ...more,
    });
    return {
      version: { ...version, ...(note !== undefined && { note }), created_at: createdAt },
      isMade: true,
      unchanged,
    };
  }

  /** Deletes staged items that equal items of the base. @returns the number of items */
  private async dropUnchanged(made: Parameters): Promise<number> {
    const { texts } = this.db.dialect;
    const inBase = (same: string): string => `SELECT w.item_no FROM dataset_items w
      JOIN dataset_items i ON i.dataset_no = w.dataset_no AND ${same}
      WHERE w.staged = :staged AND i.staged IS NULL AND i.item_no IN (${IN_BASE})`;
    const equal = await this.db.run(
      `DELETE FROM dataset_items WHERE item_no IN (${inBase('i.item_id = w.item_id AND i.hash = w.hash')})
        AND item_id NOT IN (SELECT value FROM ${texts(':remove')})`,
      made,
    );
    const copied = `DELETE FROM dataset_items WHERE item_no IN (${inBase('i.source = w.source')})`;
    return equal + (await this.db.run(copied, made));
  }

  /** An item that replaces a copy keeps its source, so adding the call again changes nothing. */
  private async keepSources(made: Parameters): Promise<void> {
    const replaced = `SELECT i.source FROM dataset_items i WHERE i.dataset_no = :datasetNo
      AND i.item_id = dataset_items.item_id AND i.staged IS NULL AND i.item_no IN (${IN_BASE})`;
    await this.db.run(
      `UPDATE dataset_items SET source = (${replaced}) WHERE staged = :staged AND source IS NULL`,
      made,
    );
  }

  /** Keeps items of the base, except removed ones and those that a staged item replaces. @returns the number of changed members */
  private async changeMembers(made: Parameters): Promise<number> {
    const kept = `SELECT i.item_no FROM dataset_items i WHERE i.item_no IN (${IN_BASE})
      AND i.item_id NOT IN (SELECT value FROM ${this.db.dialect.texts(':remove')})
      AND i.item_id NOT IN (SELECT item_id FROM dataset_items WHERE staged = :staged)`;
    const ended = await this.db.run(
      `UPDATE dataset_members SET until = :version
        WHERE dataset_no = :datasetNo AND until = ${OPEN} AND item_no NOT IN (${kept})`,
      made,
    );
    const begin = (items: string): Promise<number> =>
      this.db.run(
        `INSERT INTO dataset_members(account_id, dataset_no, item_no, since)
          SELECT :accountId, :datasetNo, item_no, :version FROM (${items}) i`,
        made,
      );
    // Items of an older base become members again.
    const resumed = await begin(`${kept} AND i.item_no NOT IN (${IN_LATEST})`);
    return ended + resumed + (await begin('SELECT item_no FROM dataset_items WHERE staged = :staged'));
  }

  private async count(items: string, made: Parameters): Promise<number> {
    const row = await this.db.get<{ n: number }>(`SELECT count(*) AS n FROM (${items}) counted`, made);
    return row?.n ?? 0;
  }
}

/** Version 0, of a dataset without versions. */
function emptyVersion(createdUs: number): DatasetVersion {
  return { version: 0, base: 0, item_count: 0, added: 0, removed: 0, created_at: formatTimestamp(createdUs) };
}
