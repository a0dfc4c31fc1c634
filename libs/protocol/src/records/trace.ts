import type { JsonObject, JsonValue } from '../json/json-value.js';

/**
 * A patch of a trace (SPEC 2.7): patches of one id merge in the order in which they arrive.
 *
 * `session_id`: the last one wins. `metadata` and `contexts`: merged by key, a later value replaces an earlier one.
 */
export interface TraceRecord {
  id: string;
  session_id?: string;
  metadata?: JsonObject;
  contexts?: Record<string, JsonValue>;
}
