import type { JsonValue } from '../json/json-value.js';
import type {
  CaptureMeta,
  ErrorRecord,
  SpanKind,
  SpanLevel,
  SpanStatus,
  SpanType,
  UsageRecord,
} from '../records/span.js';
import type { CallSelection } from '../records/call-selection.js';
import type { TraceRecord } from '../records/trace.js';

/**
 * `POST` {@link ROUTES.searchCalls}: recorded calls with a trace function key, page by page, without a test run. Here `limit` is
 * the page size, 1 to 200. Default: 50. A page may be short or empty after a long scan: continue with `next_cursor`.
 */
export interface SearchCallsRequest extends Omit<CallSelection, 'sample'> {
  trace_function_key: string;
  cursor?: string;
  /** Includes the inner calls of each call. */
  descendants?: boolean;
}

/** A stored call with its payload. */
export interface RecordedCall {
  trace_id: string;
  span_id: string;
  name: string;
  type: SpanType;
  kind?: SpanKind;
  level?: SpanLevel;
  status: SpanStatus;
  started_at: string;
  duration_ms?: number;
  session_id?: string;
  /** Labels, metadata and contexts of its trace, if it has any. Absent on inner calls. */
  trace?: Omit<TraceRecord, 'id'>;
  input?: JsonValue[];
  output?: JsonValue;
  error?: ErrorRecord;
  usage?: UsageRecord;
  meta?: CaptureMeta;
}

/** An inner call at any depth, with its payload. */
export interface RecordedDescendant extends RecordedCall {
  parent_id: string;
  trace_function_key: string;
}

/** A call with its inner calls. */
export interface RecordedCallTree extends RecordedCall {
  /** Sorted by start. Present only if requested. */
  descendants?: RecordedDescendant[];
  /** Cursor for the remaining inner calls, from {@link ROUTES.descendants}. Absent if there are none. */
  descendants_cursor?: string;
}
