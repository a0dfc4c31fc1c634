import type { DatasetItem, DatasetVersion } from '@dacapo/protocol';

/** An item to add to a version. */
export interface NewDatasetItem {
  item: DatasetItem;
  /** Identifies the source of a copy. The item is skipped if the base already has a copy of it. Absent: only the id counts. */
  copyOf?: string;
}

export interface DatasetChange {
  /** The version to start from. Default: the latest; 0: an empty one. */
  base?: number;
  /** Changes nothing if the latest version is another one. */
  ifLatest?: number;
  /** Parts of the items. All ids differ. */
  add: AsyncIterable<readonly NewDatasetItem[]>;
  /** Ids of items to remove. Unknown ids are ignored. */
  remove: readonly string[];
  note?: string;
  createdAt: string;
}

export interface ChangedDataset {
  /** The latest version: an existing one if nothing changed. */
  version: DatasetVersion;
  /** Whether the change created this version. */
  isMade: boolean;
  /** Whether the latest version is not the one that the change expects. */
  isOutdated?: true;
  /** The number of items that the base already had. */
  unchanged: number;
}

/** An item without its payload. */
export interface ListedDatasetItem {
  id: string;
  /** Increases in the order in which items were added. */
  place: number;
  payload_bytes: number;
  /** The trace of the call that the item was copied from. */
  trace_id?: string;
  span_id?: string;
}
