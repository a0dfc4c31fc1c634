import { TRACE_LABELS, type TraceFact, TraceFacts, type TraceRecord } from '@dacapo/protocol';
import type { SqlParameter } from '../meta/transaction.js';
import {
  computeContribution,
  encodeContribution,
  type MetricSpan,
  type PlacedTally,
} from '../rules/contribution.js';
import { sumTraceUsage } from '../rules/span-usage.js';
import { findRoot, worstStatus } from '../rules/trace-summary.js';
import { facetsOfTrace } from './facets-of-trace.js';
import { type SpanRow, toSpanUsage } from './rows.js';

/** The stored columns of a trace, derived from its spans and trace records. */
export interface DerivedTrace {
  trace: Readonly<Record<string, SqlParameter>>;
  calls: Readonly<Record<string, SqlParameter>>[];
  facets: Set<string>;
  contribution: PlacedTally[];
  /** The row of `trace_metrics`. */
  encodedContribution: string;
}

/** Facts as a column stores them. */
type FactList = [kind: TraceFact['kind'], key: string, value: TraceFact['value'], saidUs: number][];

export function encodeFacts(facts: readonly TraceFact[]): string {
  const list: FactList = facts.map(({ kind, key, value, saidUs }) => [kind, key, value, saidUs]);
  return JSON.stringify(list);
}

export function decodeFacts(traceId: string, json: string): TraceFact[] {
  return (JSON.parse(json) as FactList).map(([kind, key, value, saidUs]) => ({
    traceId,
    kind,
    key,
    value,
    saidUs,
    text: kind === 'tag' ? key : isLabel(kind) && typeof value === 'string' ? value : JSON.stringify(value),
  }));
}

function isLabel(kind: TraceFact['kind']): boolean {
  return kind !== 'metadata' && kind !== 'context';
}

/** @param startedUs start of a trace without spans */
export function deriveTrace(
  traceId: string,
  spans: readonly SpanRow[],
  facts: readonly TraceFact[],
  startedUs: number,
): DerivedTrace {
  const counting = new TraceFacts();
  counting.add(facts);
  const record = counting.toRecord(traceId);
  const root = findRoot(spans, (span) => [span.parent_id !== null, span.started_us, span.span_id]);
  const usage = sumTraceUsage(
    spans.map((row) => ({
      id: row.span_id,
      parent_id: row.parent_id ?? undefined,
      type: row.type,
      usage: toSpanUsage(row),
    })),
  );
  const { input_tokens: input, output_tokens: output } = usage ?? {};
  const contribution = computeContribution(spans.map(toMetricSpan));
  return {
    trace: {
      trace_id: traceId,
      ...Object.fromEntries(TRACE_LABELS.map((label) => [label, record[label]])),
      tags: record.tags && JSON.stringify(record.tags),
      test_run_id: spans.find(({ test_run_id }) => test_run_id !== null)?.test_run_id,
      root_span_id: root?.span_id,
      started_us: root?.started_us ?? startedUs,
      status: root?.status ?? 'unfinished',
      outcome: worstStatus(spans),
      span_count: spans.length,
      error_count: countStatus(spans, 'error'),
      duration_order: root?.duration_ms ?? -1,
      tokens_order: (input ?? output) === undefined ? -1 : (input ?? 0) + (output ?? 0),
      cost_order: usage?.cost_usd ?? -1,
      usage: usage && JSON.stringify(usage),
      facts: encodeFacts(keepCounting(counting, record)),
    },
    calls: groupCalls(traceId, spans),
    facets: facetsOfTrace(spans, record),
    contribution,
    encodedContribution: JSON.stringify(encodeContribution(contribution)),
  };
}

export function toRecord(traceId: string, facts: readonly TraceFact[]): TraceRecord {
  const counting = new TraceFacts();
  counting.add(facts);
  return counting.toRecord(traceId);
}

/** Encodes the facts that count for a trace as a column. */
export function mergeFacts(traceId: string, facts: readonly TraceFact[]): string {
  return encodeFacts(selectFacts(traceId, facts));
}

/** Selects the facts that count: one for each kind and key, and the tags. */
export function selectFacts(traceId: string, facts: readonly TraceFact[]): TraceFact[] {
  const counting = new TraceFacts();
  counting.add(facts);
  return keepCounting(counting, counting.toRecord(traceId));
}

function keepCounting(counting: TraceFacts, { tags = [] }: TraceRecord): TraceFact[] {
  return counting.values().filter(({ kind, key }) => kind !== 'tag' || tags.includes(key));
}

function groupCalls(traceId: string, spans: readonly SpanRow[]): DerivedTrace['calls'] {
  const byKey = new Map<string, SpanRow[]>();
  for (const span of spans) {
    const calls = byKey.get(span.trace_function_key);
    if (calls === undefined) byKey.set(span.trace_function_key, [span]);
    else calls.push(span);
  }
  return Array.from(byKey, ([trace_function_key, calls]) => {
    const startedUs = calls.map(({ started_us }) => started_us);
    return {
      trace_id: traceId,
      trace_function_key,
      outcome: worstStatus(calls),
      span_count: calls.length,
      started_us: startedUs.reduce((least, us) => Math.min(least, us)),
      last_started_us: startedUs.reduce((most, us) => Math.max(most, us)),
      is_recording: calls.some(({ status, test_run_id }) => status !== 'unfinished' && test_run_id === null),
      error_count: countStatus(calls, 'error'),
      cancelled_count: countStatus(calls, 'cancelled'),
      unfinished_count: countStatus(calls, 'unfinished'),
    };
  });
}

function countStatus(spans: readonly SpanRow[], status: SpanRow['status']): number {
  return spans.filter((span) => span.status === status).length;
}

function toMetricSpan(row: SpanRow): MetricSpan {
  return {
    spanId: row.span_id,
    parentId: row.parent_id ?? undefined,
    traceFunctionKey: row.trace_function_key,
    type: row.type,
    status: row.status,
    isReplay: row.test_run_id !== null,
    startedUs: row.started_us,
    durationMs: row.duration_ms ?? undefined,
    inputTokens: row.input_tokens ?? undefined,
    outputTokens: row.output_tokens ?? undefined,
    costUsd: row.cost_usd ?? undefined,
  };
}
