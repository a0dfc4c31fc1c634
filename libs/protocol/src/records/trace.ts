import type { JsonObject, JsonValue } from '../json/json-value.js';

/**
 * A patch of a trace (SPEC 2.7), for what no span of it could tell: it came after the last of them, from another process, or
 * is large. Everything else travels on spans: see `SpanRecord.session_id`.
 *
 * Of each of these texts, and of each key of `metadata` and `contexts`, what was said last counts, on a span or in a patch. Tags add up:
 * those of all records count, by the alphabet up to `LIMITS.tags`.
 */
export interface TraceRecord {
  id: string;
  /** When it was made; absent in records of version 0.1, which count from when they arrive. */
  at?: string;
  session_id?: string;
  user_id?: string;
  environment?: string;
  release?: string;
  tags?: string[];
  metadata?: JsonObject;
  contexts?: Record<string, JsonValue>;
}
