import type { ComparedItem, PairRelation, TestRunItemSummary } from '@dacapo/protocol';
import { sourceOf } from '../storage/accepted-outcome-store.js';

/** An item, and what tells it in another run. */
export interface SourcedItem {
  item: TestRunItemSummary;
  source: string;
}

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
 * Sets the items of two runs beside each other, in the order of the first, then those that the second alone has. Where a run played
 * one source several times, the first stands beside the first, the second beside the second.
 *
 * @param here by number, then by repetition, as `there` is
 */
export function pairItems(here: readonly SourcedItem[], there: readonly SourcedItem[]): ComparedItem[] {
  const others = new Map<string, TestRunItemSummary[]>();
  for (const { item, source } of there) {
    const known = others.get(source);
    if (known) known.push(item);
    else others.set(source, [item]);
  }
  const taken = new Set<TestRunItemSummary>();
  const times = new Map<string, number>();
  const pairs = here.map(({ item, source }): ComparedItem => {
    const time = times.get(source) ?? 0;
    times.set(source, time + 1);
    const other = others.get(source)?.[time];
    if (other === undefined) return { relation: 'only_here', here: item };
    taken.add(other);
    return { relation: relationOf(item, other), here: item, there: other };
  });
  const left = there.filter(({ item }) => !taken.has(item));
  return [...pairs, ...left.map(({ item }): ComparedItem => ({ relation: 'only_there', there: item }))];
}

/** How an item of this run stands beside that of the other. */
export function relationOf(here: TestRunItemSummary, there: TestRunItemSummary): PairRelation {
  const [now, other] = [standingOf(here), standingOf(there)];
  if (now === undefined || other === undefined) return 'unknown';
  if (now !== other) return now > other ? 'improved' : 'regressed';
  return ALIKE[here.verdict];
}

const ALIKE = {
  error: 'both_failed',
  changed: 'both_changed',
  same: 'both_same',
  unknown: 'unknown',
} as const;

/** By what its own run compared it with; `undefined` where that cannot tell. */
function standingOf({ verdict, fixed }: TestRunItemSummary): number | undefined {
  if (verdict === 'unknown') return undefined;
  if (fixed) return 3;
  return { error: 0, changed: 1, same: 2 }[verdict];
}
