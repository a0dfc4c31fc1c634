import {
  type AmountRange,
  hasMetadata,
  hasText,
  toSearchedSpan,
  type SpanFilter,
  summarizeSpanUsage,
  type StoredSpan,
  type TraceFilter,
  worstStatus,
} from '@dacapo/collector/storage';
import {
  type JsonObject,
  type TraceAmount,
  TRACE_AMOUNTS,
  TRACE_LABELS,
  type TraceSummary,
} from '@dacapo/protocol';
import { normalTime } from './trace-view.js';

/** A trace as far as lists look at it. */
interface LookedAt {
  trace: TraceSummary;
  /** Of the key that is asked for; without one, all spans. */
  calls: readonly StoredSpan[];
  /** When it was first called, or else when the trace started. */
  at: string;
  metadata: JsonObject;
}

/** Whether a trace matches all conditions but those of scores. */
export function isListed(filter: TraceFilter, { trace, calls, at, metadata }: LookedAt): boolean {
  const { traceFunctionKey, status, since, until, testRunId, span, amounts, tags = [] } = filter;
  const { traceIds, withRecording, withoutReplays } = filter;
  const isInRange = (amount: TraceAmount): boolean => isIn(amounts?.[amount], trace[amount]);
  return (
    (traceFunctionKey === undefined || calls.length > 0) &&
    (since === undefined || at >= normalTime(since)) &&
    (until === undefined || at < normalTime(until)) &&
    TRACE_LABELS.every((name) => filter[name] === undefined || trace[name] === filter[name]) &&
    tags.every((tag) => trace.tags?.includes(tag)) &&
    !filter.except_tags?.some((tag) => trace.tags?.includes(tag)) &&
    (status === undefined || worstStatus(calls) === status) &&
    (testRunId === undefined || trace.test_run_id === testRunId) &&
    traceIds?.includes(trace.id) !== false &&
    (withRecording !== true ||
      calls.some((call) => call.status !== 'unfinished' && call.test_run_id === undefined)) &&
    !(withoutReplays && trace.test_run_id !== undefined) &&
    (span === undefined || calls.some((call) => isSpan(call, span))) &&
    TRACE_AMOUNTS.every(isInRange) &&
    (filter.metadata ?? []).every((wanted) => hasMetadata(metadata, wanted))
  );
}

export function isSpan(call: StoredSpan, { name, type, kind, level, model, text }: SpanFilter): boolean {
  return (
    (name === undefined || call.name === name) &&
    (type === undefined || call.type === type) &&
    (kind === undefined || call.kind === kind) &&
    (level === undefined || call.level === level) &&
    (model === undefined || summarizeSpanUsage(call)?.model === model) &&
    (text === undefined || hasText(toSearchedSpan(call), text))
  );
}

function isIn(range: AmountRange | undefined, amount: number | undefined): boolean {
  if (range === undefined) return true;
  return amount !== undefined && amount >= (range.least ?? 0) && amount <= (range.most ?? Infinity);
}
