import type {
  CaptureMeta,
  ErrorRecord,
  JsonObject,
  JsonValue,
  RecordedDescendant,
  UsageRecord,
} from '@dacapo/protocol';

/** The version of the file format. */
export const FORMAT = 1;

/** Recorded calls in a file. */
export interface Cassette {
  readonly header: CassetteHeader;
  /** Sorted by path, then by occurrence. */
  readonly calls: readonly CassetteCall[];
}

/** The first line of the file. */
export interface CassetteHeader {
  readonly cassette: typeof FORMAT;
  /** Trace function keys of the outermost calls, sorted. */
  readonly keys: readonly string[];
  /** The version of this package that wrote the file. */
  readonly recorded_with: string;
  /** Hash of the redaction rules that masked it. */
  readonly redaction: string;
  /** The trace that `dacapo cassettes pull` read. Absent for calls that a test recorded. */
  readonly trace_id?: string;
}

/** One call. Ids and times are relative, so that recording unchanged code again writes the same bytes. */
export interface CassetteCall extends Pick<RecordedDescendant, 'name' | 'type' | 'kind' | 'status'> {
  /** Trace function keys from an outermost call down to this one. */
  readonly path: readonly string[];
  /** From 1: which of the calls with this path, in the order of their starts. */
  readonly n: number;
  /** The `n` of the call that made this one. Absent for an outermost call. */
  readonly parent?: number;
  /** Position of its start among all starts and ends. */
  readonly start: number;
  /** Position of its end. Absent if it did not end. */
  readonly end?: number;
  readonly input?: JsonValue[];
  readonly output?: JsonValue;
  readonly error?: ErrorRecord;
  readonly usage?: UsageRecord;
  readonly contexts?: JsonObject[];
  /** `after` is the key and the `n` of the preceding call. */
  readonly meta?: CaptureMeta;
}

/** Compares two calls by path and occurrence. */
export function comparePlaces(a: CassetteCall, b: CassetteCall): number {
  for (const [index, key] of a.path.entries()) {
    const other = b.path[index];
    if (other === undefined) return 1;
    if (key !== other) return key < other ? -1 : 1;
  }
  return a.path.length - b.path.length || a.n - b.n;
}
