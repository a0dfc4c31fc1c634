import type { DatasetItem, DatasetSummary, DatasetVersion } from '@dacapo/protocol';
import type { Range } from './span-store.js';

/** An item on its way into a version. */
export interface NewDatasetItem {
  item: DatasetItem;
  /** What it is a copy of: it is skipped where the base has another copy. Absent: only its id identifies it. */
  copyOf?: string;
}

export interface DatasetChange {
  /** The latest when absent; 0 for none. */
  base?: number;
  /** Some at a time. Ids are different from each other. */
  add: AsyncIterable<readonly NewDatasetItem[]>;
  /** Ids. Those that the base does not have change nothing. */
  remove: readonly string[];
  note?: string;
  createdAt: string;
}

export interface ChangedDataset {
  /** The latest one, which is an earlier one where nothing changed. */
  version: DatasetVersion;
  /** Whether the change made it. */
  isMade: boolean;
  /** Items that the base had already. */
  unchanged: number;
}

/** An item without what it holds. */
export interface ListedDatasetItem {
  id: string;
  /** It grows in the order in which items were added. */
  place: number;
  payload_bytes: number;
  /** The call that it was copied from. */
  trace_id?: string;
  span_id?: string;
}

/**
 * Datasets: names, versions that never change, and copies of calls. Every method sees one account's data alone. Version 0
 * is that of a dataset without versions: it has no items.
 */
export interface DatasetStore {
  /** `false` when there is one of this name. */
  create(
    accountId: string,
    dataset: { name: string; description?: string; createdAt: string },
  ): Promise<boolean>;
  find(accountId: string, name: string): Promise<DatasetSummary | undefined>;
  /** By name. */
  list(accountId: string, range: Range<string>): Promise<DatasetSummary[]>;
  /** The latest first. */
  listVersions(accountId: string, name: string, range: Range<number>): Promise<DatasetVersion[]>;
  /**
   * Makes the next version, whole or not at all. An item takes the place of one of the same id; one that says the same as
   * it changes nothing. What leaves the latest version as it is makes no version: then that is the answer.
   *
   * @returns `undefined` when there is no such dataset, or when it was deleted meanwhile
   */
  change(accountId: string, name: string, change: DatasetChange): Promise<ChangedDataset | undefined>;
  /** Items of a version, by place. @param options `notIn`: only those that this version does not have */
  listItems(
    accountId: string,
    name: string,
    version: number,
    options: { notIn?: number },
    range: Range<number>,
  ): Promise<ListedDatasetItem[]>;
  /** These items of a version. In any order; missing ones are skipped. */
  readItems(accountId: string, name: string, version: number, ids: readonly string[]): Promise<DatasetItem[]>;
  /** With every copy, and what was accepted for its items; nothing of it is left on the disk. */
  delete(accountId: string, name: string): Promise<boolean>;
}
