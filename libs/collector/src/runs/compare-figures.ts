import { findGaps, meanDifference, sumTokens } from '@dacapo/evaluation';
import {
  camelCased,
  type ComparedFigure,
  type ComparedItem,
  type FigureDifference,
  type RunFigures,
  type TestRunItemSummary,
} from '@dacapo/protocol';
import type { Turns } from '../memory/turns.js';

const CONFIDENCE = 0.95;

type Figure<V> = (item: TestRunItemSummary) => V | undefined;

interface Paired<V> {
  item: TestRunItemSummary;
  now: V;
  before: V;
}

/**
 * Compares the figures of two runs with the statistics of a paired experiment: each item of this run with the same item of the
 * other. Repetitions are averaged, and sessions are clusters.
 */
export async function compareFigures(pairs: readonly ComparedItem[], turns: Turns): Promise<RunFigures> {
  const compare = async <V extends number | boolean>(
    figure: Figure<V>,
    { measure, isComparable = true }: { measure?: 'tokens' | 'costUsd'; isComparable?: boolean } = {},
  ): Promise<ComparedFigure> => {
    await turns.next();
    const lacking = { here: new Set<TestRunItemSummary>(), there: new Set<TestRunItemSummary>() };
    for (const { here, there } of pairs) {
      if (measure === undefined || here === undefined || there === undefined) continue;
      if (lacks(here, there, measure)) lacking.here.add(here);
      if (lacks(there, here, measure)) lacking.there.add(there);
    }
    const known: Figure<V> = (item) =>
      lacking.here.has(item) || lacking.there.has(item) ? undefined : figure(item);
    const paired = pairs.flatMap(({ here, there }): Paired<V>[] => {
      const [now, before] = [here && known(here), there && known(there)];
      return here === undefined || now === undefined || before === undefined
        ? []
        : [{ item: here, now, before }];
    });
    const delta = isComparable ? pairedDifference(paired) : undefined;
    const unknown = { here: countItems(lacking.here), there: countItems(lacking.there) };
    return {
      ...meanFigure('here', pairs, known),
      ...meanFigure('there', pairs, known),
      ...(delta && { delta }),
      ...(unknown.here + unknown.there > 0 && { unknown }),
    };
  };
  const scores: [string, ComparedFigure][] = [];
  for (const name of scoreNames(pairs)) scores.push([name, await compare((item) => scoreValue(item, name))]);
  return {
    confidence: CONFIDENCE,
    same: await compare(({ verdict }) => (verdict === 'unknown' ? undefined : verdict === 'same')),
    // The runs were not interleaved, so their durations have means but no difference.
    duration_ms: await compare(({ duration_ms: ms }) => ms, { isComparable: false }),
    tokens: await compare(({ usage }) => usage && sumTokens(camelCased(usage)), {
      measure: 'tokens',
    }),
    cost_usd: await compare(({ usage }) => usage?.cost_usd, { measure: 'costUsd' }),
    scores: Object.fromEntries(scores),
  };
}

function scoreNames(pairs: readonly ComparedItem[]): string[] {
  const items = pairs.flatMap(({ here, there }) => [here, there]);
  return [...new Set(items.flatMap((item) => item?.scores?.map(({ name }) => name) ?? []))].sort();
}

/** Labels and `null` are not figures. */
function scoreValue({ scores = [] }: TestRunItemSummary, name: string): number | boolean | undefined {
  const value = scores.find((score) => score.name === name)?.value;
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

/** Whether the item lacks a part of a measure that the other has. */
function lacks(item: TestRunItemSummary, other: TestRunItemSummary, measure: 'tokens' | 'costUsd'): boolean {
  const { verdict, usage, model_calls: calls } = item;
  const gaps = findGaps({
    verdict,
    ...(usage && { usage: camelCased(usage) }),
    ...(other.usage && { originalUsage: camelCased(other.usage) }),
    ...(calls && { modelCalls: camelCased(calls) }),
    ...(other.model_calls && { originalModelCalls: camelCased(other.model_calls) }),
  });
  return other.usage !== undefined && gaps[measure] !== undefined;
}

/** Repetitions of an item count once. */
function countItems(items: ReadonlySet<TestRunItemSummary>): number {
  return new Set(Array.from(items, ({ item_no: itemNo }) => itemNo)).size;
}

/** The mean of all items of one run that have the figure. */
function meanFigure<V extends number | boolean>(
  side: 'here' | 'there',
  pairs: readonly ComparedItem[],
  figure: Figure<V>,
): Partial<Record<'here' | 'there', { n: number; mean: number }>> {
  const means = averageRepetitions(
    pairs.flatMap((pair) => {
      const item = pair[side];
      const value = item && figure(item);
      return item === undefined || value === undefined ? [] : [{ item, value: Number(value) }];
    }),
  );
  if (means.length === 0) return {};
  return {
    [side]: { n: means.length, mean: means.reduce((sum, { value }) => sum + value, 0) / means.length },
  };
}

/** One value for each item: the mean of its repetitions. */
function averageRepetitions<T extends { item: TestRunItemSummary; value: number }>(
  values: readonly T[],
): T[] {
  const byNumber = new Map<number, T[]>();
  for (const one of values) {
    const known = byNumber.get(one.item.item_no);
    if (known) known.push(one);
    else byNumber.set(one.item.item_no, [one]);
  }
  return [...byNumber.values()].flatMap((repetitions) => {
    const value = repetitions.reduce((sum, one) => sum + one.value, 0) / repetitions.length;
    return repetitions.slice(0, 1).map((first) => ({ ...first, value }));
  });
}

function pairedDifference(paired: readonly Paired<number | boolean>[]): FigureDifference | undefined {
  if (paired.length === 0) return undefined;
  const items = averageRepetitions(
    paired.map(({ item, now, before }) => ({ item, value: Number(now) - Number(before) })),
  );
  const { mean, interval, p, n } = meanDifference(
    items.map(({ value }) => value),
    { confidence: CONFIDENCE, clusters: items.map(({ item }) => item.session_id) },
  );
  return { mean, ...(interval && { interval }), p, n };
}
