import { countedSpans } from '@dacapo/evaluation';
import type { SpanStatus, SpanType, SpanUsage } from '@dacapo/protocol';
import { type EncodedTally, Tally } from './tally.js';

/** A span, as far as metrics count it. */
export interface MetricSpan {
  spanId: string;
  parentId: string | undefined;
  traceFunctionKey: string;
  type: SpanType;
  status: SpanStatus;
  isReplay: boolean;
  startedUs: number;
  durationMs: number | undefined;
  usage: SpanUsage | undefined;
}

/** What is counted together: calls of one key that started in one hour. Under the key '' it is whole traces. */
export interface MetricPlace {
  traceFunctionKey: string;
  isReplay: boolean;
  hourUs: number;
}

export type PlacedTally = MetricPlace & { tally: Tally };

export type EncodedContribution = [key: string, isReplay: 0 | 1, hourUs: number, ...tally: EncodedTally][];

export const HOUR_US = 3600e6;

/** Keys further above a model call than that are not charged for it. */
const MOST_ABOVE = 512;

/**
 * What the spans of one trace add to metrics.
 *
 * Each span is a call of its key. What a model call used counts for each key above it once, with the outermost call of that key;
 * and for the trace, whose call is its root: the first span without a parent, or the first of all.
 */
export function contributionOf(spans: readonly MetricSpan[]): PlacedTally[] {
  const places = new Map<string, PlacedTally>();
  const tallyAt = (span: MetricSpan, key: string): Tally => {
    const hourUs = Math.floor(span.startedUs / HOUR_US) * HOUR_US;
    const name = `${hourUs} ${span.isReplay ? 1 : 0} ${key}`;
    let place = places.get(name);
    if (place === undefined) {
      place = { traceFunctionKey: key, isReplay: span.isReplay, hourUs, tally: new Tally() };
      places.set(name, place);
    }
    return place.tally;
  };
  const root = rootOf(spans);
  if (root === undefined) return [];
  addCall(tallyAt(root, ''), root);
  const byId = new Map<string, MetricSpan>();
  for (const span of spans) {
    byId.set(span.spanId, span);
    addCall(tallyAt(span, span.traceFunctionKey), span);
  }
  const users = spans.map((span) => ({ ...span, usage: { ...span.usage }, span }));
  for (const { span } of countedSpans(users)) {
    const usage = span.usage ?? {};
    addUsage(tallyAt(root, ''), usage);
    for (const [key, outermost] of callsAbove(span, byId)) addUsage(tallyAt(outermost, key), usage);
  }
  return [...places.values()];
}

export function encodeContribution(contribution: readonly PlacedTally[]): EncodedContribution {
  return contribution.map(({ traceFunctionKey, isReplay, hourUs, tally }) => [
    ...([traceFunctionKey, isReplay ? 1 : 0, hourUs] as const),
    ...tally.encode(),
  ]);
}

export function decodeContribution(encoded: EncodedContribution): PlacedTally[] {
  return encoded.map(([traceFunctionKey, isReplay, hourUs, ...tally]) => ({
    ...{ traceFunctionKey, isReplay: isReplay === 1, hourUs },
    tally: Tally.decode(tally),
  }));
}

function rootOf(spans: readonly MetricSpan[]): MetricSpan | undefined {
  const isBefore = (left: MetricSpan, right: MetricSpan): boolean => {
    if ((left.parentId === undefined) !== (right.parentId === undefined)) return left.parentId === undefined;
    if (left.startedUs !== right.startedUs) return left.startedUs < right.startedUs;
    return left.spanId < right.spanId;
  };
  return spans.reduce<MetricSpan | undefined>(
    (first, span) => (first === undefined || isBefore(span, first) ? span : first),
    undefined,
  );
}

/** The outermost call of each key from a span upwards. Parents may be a circle. */
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

function addCall(tally: Tally, { status, durationMs }: MetricSpan): void {
  tally.calls++;
  if (status === 'error') tally.errors++;
  if (durationMs !== undefined) tally.addDuration(durationMs);
}

function addUsage(tally: Tally, { input_tokens, output_tokens, cost_usd }: SpanUsage): void {
  tally.modelCalls++;
  tally.inputTokens += whole(input_tokens);
  tally.outputTokens += whole(output_tokens);
  if (cost_usd === undefined) tally.unpricedCalls++;
  else tally.costNanoUsd += whole(cost_usd * 1e9);
}

/** Whole numbers of this size can be added and taken away again without a rest. */
function whole(amount = 0): number {
  return Math.min(Math.round(amount), 1e12);
}
