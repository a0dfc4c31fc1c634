import type { JsonObject, JsonValue } from '../json/json-value.js';

/**
 * A patch of a trace (SPEC 2.7) with values that no span could carry: they were set after the last span, by another process, or
 * are large. All other values travel on spans: see `SpanRecord.session_id`.
 *
 * For each label, and each key of `metadata` and `contexts`, the value that was set last counts, on a span or in a patch. Tags of all
 * records are merged: the first `LIMITS.tags` in alphabetical order count.
 */
export interface TraceRecord {
  id: string;
  /** When it was made. Absent in records of version 0.1; the time of arrival counts for those. */
  at?: string;
  session_id?: string;
  user_id?: string;
  environment?: string;
  release?: string;
  tags?: string[];
  metadata?: JsonObject;
  contexts?: Record<string, JsonValue>;
}
