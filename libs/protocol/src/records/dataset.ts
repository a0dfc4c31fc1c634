import type { JsonObject, JsonValue } from '../json/json-value.js';
import type { CaptureMeta } from './span.js';

/** A name is part of URLs and commands. */
const DATASET_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

export function isDatasetName(text: string): boolean {
  return DATASET_NAME.test(text);
}

/** Where an item was copied from. */
export interface DatasetItemSource {
  trace_id?: string;
  span_id?: string;
  trace_function_key?: string;
  test_run_id?: string;
  item_no?: number;
}

/**
 * One example: a copy of a call that outlives the call's retention. It never changes, unless a deletion of its source call
 * erases it.
 */
export interface DatasetItem {
  /** Unique within the account. */
  id: string;
  /** The arguments in recorded form. */
  input: JsonValue[];
  /** Notes on the arguments are in `meta.input`. */
  meta?: CaptureMeta;
  /** The expected output. Absent: none. */
  expected?: JsonValue;
  /** `output`: notes on `expected`. `stream`: if it was copied from a stream, with a generator's return value. */
  expected_meta?: CaptureMeta;
  metadata?: JsonObject;
  source?: DatasetItemSource;
  /** Its content was erased: `input` is empty and no other content is left. Runs skip it. */
  erased?: true;
}

/** An item to add. It replaces the base item with the same `id`, unless the two are equal. */
export interface DatasetItemInput extends Omit<DatasetItem, 'id' | 'erased'> {
  /** A UUID. Default: the service generates one. */
  id?: string;
}

/** The items of a dataset at one point. Versions are immutable: each change creates the next version. */
export interface DatasetVersion {
  /** 1, 2, 3, … */
  version: number;
  /** The version that this one is based on; 0 for none. */
  base: number;
  item_count: number;
  /** Number of items that the base does not have. */
  added: number;
  /** Number of base items that this version does not have. */
  removed: number;
  note?: string;
  created_at: string;
}

/** A dataset in a list. */
export interface DatasetSummary {
  name: string;
  description?: string;
  created_at: string;
  /** When its latest version was created; `created_at` without a version. */
  updated_at: string;
  /** 0: it has no version yet. */
  latest_version: number;
  /** Number of items in its latest version. */
  item_count: number;
}

export interface DatasetDetail extends DatasetSummary {
  /** Newest first, at most `LIMITS.listedVersions`. */
  versions: DatasetVersion[];
}
