/** What a native function may be called: it stands in addresses, file names and as the key of its spans. */
const FUNCTION_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,127}$/;

export function isFunctionName(text: string): boolean {
  return FUNCTION_NAME.test(text);
}

/** One version of a native function. Versions never change; which one is active does. */
export interface FunctionVersionRecord {
  name: string;
  /** 1, 2, 3, … */
  version: number;
  /** The whole BAML source. */
  source: string;
  /** Which function of the source is called. */
  entry: string;
  /** Why this version was made. */
  note?: string;
  created_at: string;
  is_active: boolean;
}

/** A version in a list: without its source. */
export type FunctionVersionSummary = Omit<FunctionVersionRecord, 'source'>;

/** A native function in a list. */
export interface FunctionSummary {
  name: string;
  /** The version that a call without a version runs. */
  active_version: number;
  version_count: number;
  updated_at: string;
}
