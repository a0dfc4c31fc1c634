import type { DatasetItem, DatasetVersion } from '@dacapo/protocol';

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
