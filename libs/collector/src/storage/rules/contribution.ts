import { countedSpans } from '@dacapo/evaluation';
import type { SpanStatus, SpanType, TraceUsage } from '@dacapo/protocol';
import { type EncodedTally, Tally } from './tally.js';
import { findRoot } from './trace-summary.js';

/** The fields of a span that metrics count. */
export interface MetricSpan {
  spanId: string;
  parentId: string | undefined;
  traceFunctionKey: string;
  type: SpanType;
  status: SpanStatus;
  isReplay: boolean;
  startedUs: number;
  durationMs: number | undefined;
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  costUsd: number | undefined;
}

/** Calls that are counted together: those with one key that started in one hour. The key '' means whole traces. */
interface MetricPlace {
  traceFunctionKey: string;
  isReplay: boolean;
  hourUs: number;
}

export type PlacedTally = MetricPlace & { tally: Tally };

export type EncodedContribution = [key: string, isReplay: 0 | 1, hourUs: number, ...tally: EncodedTally][];

export const HOUR_US = 3600e6;

/** Tallies by place. */
export class TallyPlaces {
  private readonly byKey = new Map<string, Map<number, PlacedTally>>();

  at(traceFunctionKey: string, isReplay: boolean, hourUs: number): Tally {
    let ofKey = this.byKey.get(traceFunctionKey);
    if (ofKey === undefined) {
      ofKey = new Map<number, PlacedTally>();
      this.byKey.set(traceFunctionKey, ofKey);
    }
    // A number, because building a text would take longer than counting.
    const place = (hourUs / HOUR_US) * 2 + Number(isReplay);
    let placed = ofKey.get(place);
    if (placed === undefined) {
      placed = { traceFunctionKey, isReplay, hourUs, tally: new Tally() };
      ofKey.set(place, placed);
    }
    return placed.tally;
  }

  all(): PlacedTally[] {
    return [...this.byKey.values()].flatMap((ofKey) => [...ofKey.values()]);
  }
}

/** Maximum number of ancestors whose keys count the usage of a model call. */
const MOST_ABOVE = 512;

/**
 * Computes what the spans of one trace add to metrics.
 *
 * Each span is a call with its key. The usage of a model call counts once for each key above it, with the outermost call with that key.
 * It also counts for the trace, whose call is its root span. Its cost is the own cost of its own key only, so own costs add up to the
 * costs of the traces (docs/adr/0144).
 */
export function computeContribution(spans: readonly MetricSpan[]): PlacedTally[] {
  const places = new TallyPlaces();
  const tallyAt = ({ isReplay, startedUs }: MetricSpan, key: string): Tally =>
    places.at(key, isReplay, Math.floor(startedUs / HOUR_US) * HOUR_US);
  const root = findRoot(spans, ({ parentId, startedUs, spanId }) => [
    parentId !== undefined,
    startedUs,
    spanId,
  ]);
  if (root === undefined) return [];
  addCall(tallyAt(root, ''), root);
  const byId = new Map<string, MetricSpan>();
  for (const span of spans) {
    byId.set(span.spanId, span);
    addCall(tallyAt(span, span.traceFunctionKey), span);
  }
  for (const span of countedSpans(spans, hasUsage)) {
    addUsage(tallyAt(root, ''), span);
    for (const [key, outermost] of callsAbove(span, byId)) addUsage(tallyAt(outermost, key), span);
    addOwnUsage(tallyAt(span, span.traceFunctionKey), span);
  }
  return places.all();
}

/** Counts each span as a separate call, with its own usage if it is a counted model call. */
export function spanContributions<Span extends MetricSpan>(spans: readonly Span[]): [Span, Tally][] {
  const counted = new Set<MetricSpan>(countedSpans(spans, hasUsage));
  return spans.map((span) => {
    const tally = new Tally();
    addCall(tally, span);
    if (counted.has(span)) addUsage(tally, span);
    return [span, tally];
  });
}

/** The usage of the trace's model calls. */
export function usageIn(contribution: readonly PlacedTally[]): TraceUsage | undefined {
  const tally = contribution.find(({ traceFunctionKey }) => traceFunctionKey === '')?.tally;
  if (tally === undefined || tally.modelCalls === 0) return undefined;
  const { modelCalls, unpricedCalls, inputTokens, outputTokens, costNanoUsd } = tally;
  return {
    model_calls: modelCalls,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    ...(modelCalls > unpricedCalls && { cost_usd: costNanoUsd / 1e9 }),
    ...(unpricedCalls > 0 && { unpriced_calls: unpricedCalls }),
  };
}

export function encodeContribution(contribution: readonly PlacedTally[]): EncodedContribution {
  return contribution.map(({ traceFunctionKey, isReplay, hourUs, tally }) => [
    ...([traceFunctionKey, isReplay ? 1 : 0, hourUs] as const),
    ...tally.encode(),
  ]);
}

export function decodeContribution(encoded: EncodedContribution): PlacedTally[] {
  return encoded.map(([traceFunctionKey, isReplay, hourUs, ...tally]) => ({
    traceFunctionKey,
    isReplay: isReplay === 1,
    hourUs,
    tally: Tally.decode(tally),
  }));
}

/** The outermost call with each key, from a span upwards. Parents may form a cycle. */
function callsAbove(span: MetricSpan, byId: ReadonlyMap<string, MetricSpan>): Map<string, MetricSpan> {
  const outermost = new Map<string, MetricSpan>();
  const seen = new Set<MetricSpan>();
  let at: MetricSpan | undefined = span;
  while (at !== undefined && !seen.has(at) && seen.size < MOST_ABOVE) {
    seen.add(at);
    outermost.set(at.traceFunctionKey, at);
    at = at.parentId === undefined ? undefined : byId.get(at.parentId);
  }
  return outermost;
}

function hasUsage({ inputTokens, outputTokens, costUsd }: MetricSpan): boolean {
  return inputTokens !== undefined || outputTokens !== undefined || costUsd !== undefined;
}

function addCall(tally: Tally, { status, durationMs }: MetricSpan): void {
  tally.calls++;
  if (status === 'error') tally.errors++;
  if (durationMs !== undefined) tally.addDuration(durationMs);
}

function addUsage(tally: Tally, { inputTokens, outputTokens, costUsd }: MetricSpan): void {
  tally.modelCalls++;
  tally.inputTokens += whole(inputTokens);
  tally.outputTokens += whole(outputTokens);
  if (costUsd === undefined) tally.unpricedCalls++;
  else tally.costNanoUsd += whole(costUsd * 1e9);
}

function addOwnUsage(tally: Tally, { costUsd }: MetricSpan): void {
  tally.ownModelCalls++;
  if (costUsd === undefined) tally.ownUnpricedCalls++;
  else tally.ownCostNanoUsd += whole(costUsd * 1e9);
}

/** Rounds, because integers can be added and subtracted exactly. */
function whole(amount = 0): number {
  return Math.min(Math.round(amount), 1e12);
}
