import type { JsonObject, JsonValue } from '../json/json-value.js';
import type { CaptureMeta } from './span.js';

/** What a dataset may be called: its name is part of addresses and commands. */
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
 * One example: a copy of a call, which stays when the call is deleted by its age. It never changes, unless it is erased with the
 * call that it came from.
 */
export interface DatasetItem {
  /** Unique within the account. */
  id: string;
  /** The arguments as they are recorded. */
  input: JsonValue[];
  /** Notes on the arguments are `meta.input`. */
  meta?: CaptureMeta;
  /** Absent: nothing is expected. */
  expected?: JsonValue;
  /** Notes on `expected` are `expected_meta.output`; `stream` where it was copied from one, with what a generator returned. */
  expected_meta?: CaptureMeta;
  metadata?: JsonObject;
  source?: DatasetItemSource;
  /** Its content was erased: `input` is empty, and nothing else is left. No run plays it. */
  erased?: true;
}

/** An item to add. One that has the `id` of an item of the base takes its place, unless it says the same. */
export interface DatasetItemInput extends Omit<DatasetItem, 'id' | 'erased'> {
  /** A UUID; the service makes one when it is absent. */
  id?: string;
}

/** Which items a dataset has. Versions never change: a change makes the next one. */
export interface DatasetVersion {
  /** 1, 2, 3, … */
  version: number;
  /** The version that it was made of; 0 for none. */
  base: number;
  item_count: number;
  /** Items that the base does not have. */
  added: number;
  /** Items of the base that this one does not have. */
  removed: number;
  note?: string;
  created_at: string;
}

/** A dataset in a list. */
export interface DatasetSummary {
  name: string;
  description?: string;
  created_at: string;
  /** When its latest version was made; `created_at` before. */
  updated_at: string;
  /** 0: it has no items yet. */
  latest_version: number;
  /** Of its latest version. */
  item_count: number;
}

export interface DatasetDetail extends DatasetSummary {
  /** The latest first, at most `LIMITS.listedVersions`. */
  versions: DatasetVersion[];
}
