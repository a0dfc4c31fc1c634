/** A name is part of URLs and file names, and is the trace function key of the function's spans. */
const FUNCTION_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,127}$/;

export function isFunctionName(text: string): boolean {
  return FUNCTION_NAME.test(text);
}

/** One version of a native function. Versions are immutable; only `is_active` changes. */
export interface FunctionVersionRecord {
  name: string;
  /** 1, 2, 3, … */
  version: number;
  /** The complete BAML source. */
  source: string;
  /** The function in the source that a call runs. */
  entry: string;
  /** Why this version was created. */
  note?: string;
  created_at: string;
  is_active: boolean;
}

/** A version in a list, without its source. */
export type FunctionVersionSummary = Omit<FunctionVersionRecord, 'source'>;

/** A native function in a list. */
export interface FunctionSummary {
  name: string;
  /** The version that calls run by default. */
  active_version: number;
  version_count: number;
  updated_at: string;
}
