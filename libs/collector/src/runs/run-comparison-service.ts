import {
  LIMITS,
  PAIR_RELATIONS,
  type PairRelation,
  type ComparedItem,
  type RunComparison,
  type TestRunItemRecord,
  type TestRunItemSummary,
  type TestRunRecord,
} from '@dacapo/protocol';
import { Injectable, PayloadTooLargeException } from '@nestjs/common';
import { encodeCursor, type PageRequest, positionOf } from '../cursor.js';
import { Turns } from '../memory/turns.js';
import { MetaStore } from '../storage/meta-store.js';
import type { ItemKey } from '../storage/test-run-store.js';
import { compareFigures } from './compare-figures.js';
import { type Likeness, likenessOf } from './outcome-likeness.js';
import { type ItemPair, pairItems, relationOf, type SourcedItem, sourceOfItem } from './pair-items.js';
import { TestRunService } from './test-run-service.js';

/** Items that are read in one go. */
const READ_AT_ONCE = 1000;
/** Outcomes that are read in one go: their items, and about their bytes in both runs. */
const COMPARED_AT_ONCE = { items: 100, bytes: 4_000_000 };
/** Comparisons that are kept, so that the pages of one are not compared anew each time. */
const KEPT_COMPARISONS = 4;

interface ReadItem extends SourcedItem {
  payloadBytes: number;
}

/** Compares two runs. */
@Injectable()
export class RunComparisonService {
  /** By {@link comparisonKey}, of finished runs: one for each pair, in their order. */
  private readonly known = new Map<string, readonly Likeness[]>();

  constructor(
    private readonly meta: MetaStore,
    private readonly runs: TestRunService,
    private readonly turns: Turns,
  ) {}

  /**
   * @throws NotFoundException when one of the runs does not exist
   * @throws InvalidCursorError
   * @throws PayloadTooLargeException when a run has more items than `LIMITS.comparedItems`
   */
  async compare(
    accountId: string,
    { id, other, relation }: { id: string; other: string; relation?: PairRelation },
    page: PageRequest,
  ): Promise<RunComparison> {
    const { after } = positionOf(page, 'number', 'number', 'number');
    const [here, there] = [await this.runs.get(accountId, id), await this.runs.get(accountId, other)];
    const items = await this.itemsOf(accountId, id);
    const others = id === other ? items : await this.itemsOf(accountId, other);
    const paired = pairItems(items, others);
    const bytes = new Map([...items, ...others].map(({ item, payloadBytes }) => [item, payloadBytes]));
    const erased = [...items, ...others].filter(({ item }) => item.erased === true).length;
    const key = comparisonKey(accountId, here, there, erased);
    const known = key === undefined ? undefined : this.known.get(key);
    const likenesses = known ?? (await this.compareOutcomes(accountId, [id, other], paired, bytes));
    if (key !== undefined) this.keep(key, likenesses);
    const pairs = paired.map((pair, index): ComparedItem => ({
      relation: relationOf(pair, likenesses[index] ?? 'unknown'),
      ...pair,
    }));
    const totals = Object.fromEntries(PAIR_RELATIONS.map((name) => [name, 0])) as RunComparison['totals'];
    for (const pair of pairs) totals[pair.relation] += 1;
    const listed = pairs.filter(
      (pair) =>
        (relation === undefined || pair.relation === relation) &&
        (after === undefined || isAfter(placeOf(pair), after)),
    );
    const [kept, last] = [listed.slice(0, page.limit), listed[page.limit - 1]];
    return {
      ...{ here, there, totals },
      ...(page.cursor === undefined && { figures: await compareFigures(pairs, this.turns) }),
      items: kept,
      ...(listed.length > page.limit && last && { next_cursor: encodeCursor(placeOf(last)) }),
    };
  }

  /** What both runs gave, one for each pair: `unknown` where one of them has none. */
  private async compareOutcomes(
    accountId: string,
    [id, other]: readonly [id: string, other: string],
    pairs: readonly ItemPair[],
    bytes: ReadonlyMap<TestRunItemSummary, number>,
  ): Promise<Likeness[]> {
    const likenesses = pairs.map((): Likeness => 'unknown');
    for (const batch of batchesOf(pairs, bytes)) {
      await this.turns.next();
      const [here, there] = await Promise.all([
        this.recordsOf(
          accountId,
          id,
          batch.map((pair) => pair.here),
        ),
        this.recordsOf(
          accountId,
          other,
          batch.map((pair) => pair.there),
        ),
      ]);
      for (const pair of batch) {
        const [now, before] = [here.get(keyOf(pair.here).join()), there.get(keyOf(pair.there).join())];
        if (now && before) likenesses[pair.index] = likenessOf(now, before);
      }
    }
    return likenesses;
  }

  private async recordsOf(
    accountId: string,
    id: string,
    items: readonly TestRunItemSummary[],
  ): Promise<Map<string, TestRunItemRecord>> {
    const stored = await this.meta.testRuns.readItems(accountId, id, items.map(keyOf));
    return new Map(stored.map(({ record }) => [keyOf(record).join(), record]));
  }

  private keep(key: string, likenesses: readonly Likeness[]): void {
    this.known.delete(key);
    this.known.set(key, likenesses);
    const [oldest] = this.known.keys();
    if (this.known.size > KEPT_COMPARISONS && oldest !== undefined) this.known.delete(oldest);
  }

  private async itemsOf(accountId: string, id: string): Promise<ReadItem[]> {
    const played = await this.datasetItemsOf(accountId, id);
    const items: ReadItem[] = [];
    let after: ItemKey | undefined;
    do {
      await this.turns.next();
      const range = { limit: READ_AT_ONCE, ...(after !== undefined && { after }) };
      const rows = await this.meta.testRuns.listItems(accountId, id, {}, range);
      for (const { summary, payload_bytes: payloadBytes } of rows) {
        const source = sourceOfItem(summary, played.get(summary.item_no));
        items.push({ item: summary, source, payloadBytes });
      }
      if (items.length > LIMITS.comparedItems) {
        throw new PayloadTooLargeException(
          `Runs of at most ${LIMITS.comparedItems} items are compared, and ${id} has more. ` +
            'Play one with the other as its baseline instead',
        );
      }
      const last = rows.length < READ_AT_ONCE ? undefined : rows.at(-1)?.summary;
      after = last && [last.item_no, last.repetition ?? 0];
    } while (after !== undefined);
    return items;
  }

  /** Which items of a dataset a run plays, by number. */
  private async datasetItemsOf(accountId: string, id: string): Promise<Map<number, string>> {
    const found = new Map<number, string>();
    let after: number | undefined;
    do {
      const range = { limit: READ_AT_ONCE, ...(after !== undefined && { after }) };
      const refs = await this.meta.testRuns.listSelected(accountId, id, { left: false }, range);
      for (const { item_no: itemNo, dataset_item_id: itemId } of refs) {
        if (itemId !== undefined) found.set(itemNo, itemId);
      }
      after = refs.length < READ_AT_ONCE || found.size === 0 ? undefined : refs.at(-1)?.item_no;
    } while (after !== undefined);
    return found;
  }
}

interface NumberedPair {
  index: number;
  here: TestRunItemSummary;
  there: TestRunItemSummary;
}

/** Pairs that both runs have, so few at once that their outcomes are never much memory. */
function* batchesOf(
  pairs: readonly ItemPair[],
  bytes: ReadonlyMap<TestRunItemSummary, number>,
): Generator<NumberedPair[]> {
  let batch: NumberedPair[] = [];
  let size = 0;
  for (const [index, { here, there }] of pairs.entries()) {
    if (here === undefined || there === undefined) continue;
    batch.push({ index, here, there });
    size += (bytes.get(here) ?? 0) + (bytes.get(there) ?? 0);
    if (batch.length < COMPARED_AT_ONCE.items && size < COMPARED_AT_ONCE.bytes) continue;
    yield batch;
    [batch, size] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

function keyOf({
  item_no: itemNo,
  repetition = 0,
}: Pick<TestRunItemSummary, 'item_no' | 'repetition'>): ItemKey {
  return [itemNo, repetition];
}

/**
 * Absent while a run goes on: what it gives may change. One that was resumed is another when it finishes again, and what is erased is
 * matched otherwise.
 */
function comparisonKey(
  accountId: string,
  here: TestRunRecord,
  there: TestRunRecord,
  erased: number,
): string | undefined {
  if (here.finished_at === undefined || there.finished_at === undefined) return undefined;
  return [accountId, here.id, here.finished_at, there.id, there.finished_at, erased].join();
}

type Place = readonly [side: number, itemNo: number, repetition: number];

/** In the order of this run; what the other alone has comes after it. */
function placeOf({ here, there }: ComparedItem): Place {
  const { item_no: itemNo = 0, repetition = 0 } = here ?? there ?? {};
  return [here === undefined ? 1 : 0, itemNo, repetition];
}

function isAfter(place: Place, after: Place): boolean {
  const at = place.findIndex((part, index) => part !== after[index]);
  return at !== -1 && (place[at] ?? 0) > (after[at] ?? 0);
}
