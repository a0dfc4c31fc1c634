import type { SpanStatus, SpanType } from '@dacapo/protocol';
import type { MetricSpan } from '../rules/contribution.js';

/** What metrics read of a span, as one JSON list. */
export type SpanValues = [
  spanId: string,
  parentId: string | null,
  key: string,
  type: SpanType,
  status: SpanStatus,
  isReplay: 0 | 1,
  startedUs: number,
  durationMs: number | null,
  inputTokens: number | null,
  outputTokens: number | null,
  costUsd: number | null,
];

/** The columns of {@link SpanValues}. */
export const SPAN_VALUES = `span_id, parent_id, trace_function_key, type, status,
    CASE WHEN test_run_id IS NOT NULL THEN 1 ELSE 0 END, started_us, duration_ms, input_tokens, output_tokens, cost_usd`;

/** Reads by index, because destructuring uses an iterator, which would take most of the time. */
export function toMetricSpan(values: SpanValues): MetricSpan {
  return {
    spanId: values[0],
    parentId: values[1] ?? undefined,
    traceFunctionKey: values[2],
    type: values[3],
    status: values[4],
    isReplay: values[5] === 1,
    startedUs: values[6],
    durationMs: values[7] ?? undefined,
    inputTokens: values[8] ?? undefined,
    outputTokens: values[9] ?? undefined,
    costUsd: values[10] ?? undefined,
  };
}
