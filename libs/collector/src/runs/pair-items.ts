import type { ComparedItem, PairRelation, TestRunItemSummary } from '@dacapo/protocol';
import { sourceOf } from '../storage/accepted-outcome-store.js';
import type { Likeness } from './outcome-likeness.js';

/** An item, and what tells it in another run. */
export interface SourcedItem {
  item: TestRunItemSummary;
  source: string;
}

/** One item in two runs, before it is known how they stand. At least one of them is there. */
export type ItemPair = Pick<ComparedItem, 'here' | 'there'>;

/**
 * What an item played, and in which repetition. An item of a list played nothing that is stored: its number and the beginning of
 * its input tell it, so that another input at the same place is another item.
 *
 * @param datasetItemId what the run gave it to play, where it was an item of a dataset
 */
export function sourceOfItem(item: TestRunItemSummary, datasetItemId: string | undefined): string {
  const { source_trace_id: traceId, source_span_id: spanId, item_no: itemNo, repetition = 0 } = item;
  const played = sourceOf({
    ...(traceId !== undefined && { trace_id: traceId }),
    ...(spanId !== undefined && { span_id: spanId }),
    ...(datasetItemId !== undefined && { dataset_item_id: datasetItemId }),
  });
  return `${repetition} ${played ?? `list/${itemNo}/${item.input_preview ?? ''}`}`;
}

/**
 * Pairs the items of two runs, in the order of the first, then those that the second alone has. Where a run played
 * one source several times, the first is paired with the first, the second with the second.
 *
 * @param here by number, then by repetition, as `there` is
 */
export function pairItems(here: readonly SourcedItem[], there: readonly SourcedItem[]): ItemPair[] {
  const others = new Map<string, TestRunItemSummary[]>();
  for (const { item, source } of there) {
    const known = others.get(source);
    if (known) known.push(item);
    else others.set(source, [item]);
  }
  const taken = new Set<TestRunItemSummary>();
  const times = new Map<string, number>();
  const pairs = here.map(({ item, source }): ItemPair => {
    const time = times.get(source) ?? 0;
    times.set(source, time + 1);
    const other = others.get(source)?.[time];
    if (other === undefined) return { here: item };
    taken.add(other);
    return { here: item, there: other };
  });
  const left = there.filter(({ item }) => !taken.has(item));
  return [...pairs, ...left.map(({ item }): ItemPair => ({ there: item }))];
}

/**
 * How an item of this run compares with that of the other: by their results. Only where that differs do their verdicts say which is
 * better, for each is against a baseline of its own.
 *
 * @param likeness of what both gave, where both are there
 */
export function relationOf({ here, there }: ItemPair, likeness: Likeness): PairRelation {
  if (there === undefined) return 'only_here';
  if (here === undefined) return 'only_there';
  if (likeness === 'unknown') return 'unknown';
  const [now, other] = [standingOf(here), standingOf(there)];
  if (likeness === 'same') return now === other ? 'same_outcome' : 'judged_otherwise';
  if (now === undefined || other === undefined || now === other) return 'other_outcome';
  return now > other ? 'improved' : 'regressed';
}

/** By what its own run compared it with; `undefined` where that cannot tell. */
function standingOf({ verdict, fixed }: TestRunItemSummary): number | undefined {
  if (verdict === 'unknown') return undefined;
  if (fixed) return 3;
  return { error: 0, changed: 1, same: 2 }[verdict];
}
