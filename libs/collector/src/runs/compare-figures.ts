import { fromItemModelCalls, fromItemUsage, gapsOf, meanDifference, tokensOf } from '@dacapo/evaluation';
import type {
  ComparedFigure,
  ComparedItem,
  FigureDifference,
  RunFigures,
  TestRunItemSummary,
} from '@dacapo/protocol';
import type { Turns } from '../memory/turns.js';

const CONFIDENCE = 0.95;

/** A figure of one item; `undefined` where it has none. */
type Figure<V> = (item: TestRunItemSummary) => V | undefined;

interface Paired<V> {
  item: TestRunItemSummary;
  now: V;
  before: V;
}

/**
 * What both runs come to, with the statistics of a paired experiment: each item of this run with the same item of the other, with
 * repetitions averaged and sessions as clusters.
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
    const delta = isComparable ? differ(paired) : undefined;
    const unknown = { here: countItems(lacking.here), there: countItems(lacking.there) };
    return {
      ...meanOf('here', pairs, known),
      ...meanOf('there', pairs, known),
      ...(delta && { delta }),
      ...(unknown.here + unknown.there > 0 && { unknown }),
    };
  };
  const scores: [string, ComparedFigure][] = [];
  for (const name of namesOf(pairs)) scores.push([name, await compare((item) => scoreOf(item, name))]);
  return {
    confidence: CONFIDENCE,
    same: await compare(({ verdict }) => (verdict === 'unknown' ? undefined : verdict === 'same')),
    // Two runs do not run side by side, so their durations have means and no difference.
    duration_ms: await compare(({ duration_ms: ms }) => ms, { isComparable: false }),
    tokens: await compare(({ usage }) => usage && tokensOf(fromItemUsage(usage)), {
      measure: 'tokens',
    }),
    cost_usd: await compare(({ usage }) => usage?.cost_usd, { measure: 'costUsd' }),
    scores: Object.fromEntries(scores),
  };
}

function namesOf(pairs: readonly ComparedItem[]): string[] {
  const items = pairs.flatMap(({ here, there }) => [here, there]);
  return [...new Set(items.flatMap((item) => item?.scores?.map(({ name }) => name) ?? []))].sort();
}

/** What sorts, and what does not apply, is no figure. */
function scoreOf({ scores = [] }: TestRunItemSummary, name: string): number | boolean | undefined {
  const value = scores.find((score) => score.name === name)?.value;
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

/** Whether an item does not know what the other does, or not all of it. */
function lacks(item: TestRunItemSummary, other: TestRunItemSummary, measure: 'tokens' | 'costUsd'): boolean {
  const { verdict, usage, model_calls: calls } = item;
  const gaps = gapsOf({
    verdict,
    ...(usage && { usage: fromItemUsage(usage) }),
    ...(other.usage && { originalUsage: fromItemUsage(other.usage) }),
    ...(calls && { modelCalls: fromItemModelCalls(calls) }),
    ...(other.model_calls && { originalModelCalls: fromItemModelCalls(other.model_calls) }),
  });
  return other.usage !== undefined && gaps[measure] !== undefined;
}

/** Repetitions of one count once. */
function countItems(items: ReadonlySet<TestRunItemSummary>): number {
  return new Set(Array.from(items, ({ item_no: itemNo }) => itemNo)).size;
}

/** Over all items of one run that have it, repetitions averaged first. */
function meanOf<V extends number | boolean>(
  side: 'here' | 'there',
  pairs: readonly ComparedItem[],
  figure: Figure<V>,
): Partial<Record<'here' | 'there', { n: number; mean: number }>> {
  const means = averaged(
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
function averaged<T extends { item: TestRunItemSummary; value: number }>(plays: readonly T[]): T[] {
  const byNumber = new Map<number, T[]>();
  for (const play of plays) {
    const known = byNumber.get(play.item.item_no);
    if (known) known.push(play);
    else byNumber.set(play.item.item_no, [play]);
  }
  return [...byNumber.values()].flatMap((same) => {
    const value = same.reduce((sum, play) => sum + play.value, 0) / same.length;
    return same.slice(0, 1).map((play) => ({ ...play, value }));
  });
}

/** Each playing against the playing of the same repetition: repetitions are averaged first. */
function differ(paired: readonly Paired<number | boolean>[]): FigureDifference | undefined {
  if (paired.length === 0) return undefined;
  const items = averaged(
    paired.map(({ item, now, before }) => ({ item, value: Number(now) - Number(before) })),
  );
  const { mean, interval, p, n } = meanDifference(
    items.map(({ value }) => value),
    { confidence: CONFIDENCE, clusters: items.map(({ item }) => item.session_id) },
  );
  return { mean, ...(interval && { interval }), p, n };
}
