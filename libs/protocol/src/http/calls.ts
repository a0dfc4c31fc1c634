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
 * `POST` {@link ROUTES.searchCalls}: stored calls of a key, page by page, without a test run. `limit` is the size of a page
 * here, 1 to 200; 50 when absent. One may be short, or empty, where much was looked through: `next_cursor` goes on.
 */
export interface SearchCallsRequest extends Omit<CallSelection, 'sample'> {
  trace_function_key: string;
  cursor?: string;
  /** With the calls inside each. */
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
  /** What is known of its trace, where that is something; of calls inside another it is absent. */
  trace?: Omit<TraceRecord, 'id'>;
  input?: JsonValue[];
  output?: JsonValue;
  error?: ErrorRecord;
  usage?: UsageRecord;
  meta?: CaptureMeta;
}

/** A stored call that was made inside another, at any depth, with its payload. */
export interface RecordedDescendant extends RecordedCall {
  parent_id: string;
  trace_function_key: string;
}

/** A call, and what was called inside it. */
export interface RecordedCallTree extends RecordedCall {
  /** In the order in which they started. Absent unless they were asked for. */
  descendants?: RecordedDescendant[];
  /** There are more: they begin at this cursor of {@link ROUTES.descendants}. */
  descendants_cursor?: string;
}
