import type { ComparedItem, PairRelation, TestRunItemSummary } from '@dacapo/protocol';
import { toSourceKey } from '../storage/meta/accepted-outcomes.js';
import type { Likeness } from './outcome-likeness.js';

/** `source` identifies the item in other runs. */
export interface SourcedItem {
  item: TestRunItemSummary;
  source: string;
}

/** One item in two runs. At least one of them has it. */
export type ItemPair = Pick<ComparedItem, 'here' | 'there'>;

/**
 * The replayed call or dataset item, and the repetition. An item of a list has no stored source: its number and the beginning of its
 * input identify it.
 *
 * @param datasetItemId from the run's selection
 */
export function itemSource(item: TestRunItemSummary, datasetItemId: string | undefined): string {
  const { source_trace_id: traceId, source_span_id: spanId, item_no: itemNo, repetition = 0 } = item;
  const stored = toSourceKey({
    ...(traceId !== undefined && { trace_id: traceId }),
    ...(spanId !== undefined && { span_id: spanId }),
    ...(datasetItemId !== undefined && { dataset_item_id: datasetItemId }),
  });
  return `${repetition} ${stored ?? `list/${itemNo}/${item.input_preview ?? ''}`}`;
}

/**
 * Pairs the items of two runs by source, in the order of the first run; items that only the second has come last. When a run has one
 * source several times, its first item is paired with the first of the other run, and so on.
 *
 * @param here sorted by number and repetition, like `there`
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
  const unpaired = there.filter(({ item }) => !taken.has(item));
  return [...pairs, ...unpaired.map(({ item }): ItemPair => ({ there: item }))];
}

/**
 * Compares an item of this run with that of the other. Verdicts count only when the outcomes differ, because each verdict is against
 * the baseline of its own run.
 *
 * @param likeness of the outcomes; ignored when one run lacks the item
 */
export function pairRelation({ here, there }: ItemPair, likeness: Likeness): PairRelation {
  if (there === undefined) return 'only_here';
  if (here === undefined) return 'only_there';
  if (likeness === 'unknown') return 'unknown';
  const [now, other] = [rank(here), rank(there)];
  if (likeness === 'same') return now === other ? 'same_outcome' : 'judged_otherwise';
  if (now === undefined || other === undefined || now === other) return 'other_outcome';
  return now > other ? 'improved' : 'regressed';
}

/** Higher is better; `undefined` without a known verdict. */
function rank({ verdict, fixed }: TestRunItemSummary): number | undefined {
  if (verdict === 'unknown') return undefined;
  if (fixed) return 3;
  return { error: 0, changed: 1, same: 2 }[verdict];
}
