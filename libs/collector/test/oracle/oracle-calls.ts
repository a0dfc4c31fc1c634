import type { CallTraceFilter, ClassedCall, SpanFilter, SpanNode, SpanRef } from '@dacapo/collector/storage';
import { isSpan } from './is-listed.js';
import { normalTime, type View } from './trace-view.js';

interface CallTrace {
  trace_id: string;
  /** When the first call of the key began. */
  started_at: string;
  /** Whether one of them can be played again. */
  isRecorded: boolean;
}

/** Traces with calls of the key, as far as these are meant. */
export function listCallTraces(
  views: readonly View[],
  { traceFunctionKey, since, until, session_id, status }: CallTraceFilter,
): CallTrace[] {
  return views.flatMap(({ id, spans, record }) => {
    const calls = spans.filter((span) => span.trace_function_key === traceFunctionKey);
    const started_at = calls[0]?.started_at;
    const isMatch =
      started_at !== undefined &&
      (since === undefined || started_at >= normalTime(since)) &&
      (until === undefined || started_at < normalTime(until)) &&
      (session_id === undefined || record.session_id === session_id) &&
      (status === undefined || calls.some((call) => call.status === status));
    const isRecorded = calls.some((call) => call.status !== 'unfinished' && call.test_run_id === undefined);
    return isMatch ? [{ trace_id: id, started_at, isRecorded }] : [];
  });
}

export function listNodes(views: readonly View[]): SpanNode[] {
  return views
    .flatMap(({ spans }) => spans)
    .map((span) => ({
      trace_id: span.trace_id,
      span_id: span.id,
      parent_id: span.parent_id ?? null,
      trace_function_key: span.trace_function_key,
      status: span.status,
      test_run_id: span.test_run_id ?? null,
      started_at: span.started_at,
      duration_ms: span.duration_ms ?? null,
      payload_bytes: Buffer.byteLength(JSON.stringify(span.span_data)),
    }));
}

/** Calls of the key that were recorded on a class. */
export function listClassedCalls(views: readonly View[], traceFunctionKey: string): ClassedCall[] {
  return views
    .flatMap(({ spans }) => spans)
    .flatMap(({ trace_id, id, trace_function_key: key, span_data: { meta } }) =>
      key === traceFunctionKey && meta?.class !== undefined
        ? [{ trace_id, span_id: id, class_name: meta.class }]
        : [],
    );
}

export function listMatchingCalls(
  views: readonly View[],
  traceFunctionKey: string,
  wanted: Omit<SpanFilter, 'text'>,
): SpanRef[] {
  return views
    .flatMap(({ spans }) => spans)
    .filter((call) => call.trace_function_key === traceFunctionKey && isSpan(call, wanted))
    .map(({ trace_id, id }) => ({ trace_id, span_id: id }));
}
