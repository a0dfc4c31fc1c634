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
import { encodeCursor, type PageRequest, readPosition } from '../cursor.js';
import { Turns } from '../memory/turns.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import { SpanStore } from '../storage/ports/span-store.js';
import type { ItemKey } from '../storage/ports/test-run.js';
import { compareFigures } from './compare-figures.js';
import { type Likeness, compareItems } from './outcome-likeness.js';
import { type ItemPair, pairItems, pairRelation, type SourcedItem, itemSource } from './pair-items.js';
import { itemKey } from './stored-item.js';
import { TestRunService } from './test-run-service.js';

const READ_AT_ONCE = 1000;
/** The bytes are those of both runs, approximately. */
const COMPARED_AT_ONCE = { items: 100, bytes: 4_000_000 };
/** Comparisons are cached because a client reads them page by page. */
const MAX_CACHED_COMPARISONS = 4;

interface ReadItem extends SourcedItem {
  payloadBytes: number;
}

/** Compares two runs. */
@Injectable()
export class RunComparisonService {
  /** By {@link comparisonKey}: the likeness of each pair. */
  private readonly cache = new Map<string, readonly Likeness[]>();

  constructor(
    private readonly meta: MetaStore,
    private readonly spans: SpanStore,
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
    { id, other, relation }: { id: string; other: string; relation: PairRelation | undefined },
    page: PageRequest,
  ): Promise<RunComparison> {
    const { after } = readPosition(page, 'number', 'number', 'number');
    const [here, there] = [await this.runs.get(accountId, id), await this.runs.get(accountId, other)];
    const items = await this.listRunItems(accountId, id);
    const others = id === other ? items : await this.listRunItems(accountId, other);
    const paired = pairItems(items, others);
    const bytes = new Map([...items, ...others].map(({ item, payloadBytes }) => [item, payloadBytes]));
    const erased = [...items, ...others].filter(({ item }) => item.erased === true).length;
    const key = comparisonKey(accountId, here, there, erased);
    const cached = key === undefined ? undefined : this.cache.get(key);
    const likenesses = cached ?? (await this.compareOutcomes(accountId, [id, other], paired, bytes));
    if (key !== undefined) this.addToCache(key, likenesses);
    const pairs = paired.map((pair, index): ComparedItem => ({
      relation: pairRelation(pair, likenesses[index] ?? 'unknown'),
      ...pair,
    }));
    const totals = Object.fromEntries(PAIR_RELATIONS.map((name) => [name, 0])) as RunComparison['totals'];
    for (const pair of pairs) totals[pair.relation] += 1;
    const listed = pairs.filter(
      (pair) =>
        (relation === undefined || pair.relation === relation) &&
        (after === undefined || isPast(pairPosition(pair), after)),
    );
    const last = listed[page.limit - 1];
    return {
      here,
      there,
      totals,
      ...(page.cursor === undefined && {
        figures: await compareFigures(pairs, this.turns),
        candidates: {
          here: await this.spans.readRunCandidate(accountId, id),
          there: await this.spans.readRunCandidate(accountId, other),
        },
      }),
      items: listed.slice(0, page.limit),
      ...(listed.length > page.limit && last && { next_cursor: encodeCursor(pairPosition(last)) }),
    };
  }

  /** Returns the likeness of each pair, `unknown` when one run lacks the item. */
  private async compareOutcomes(
    accountId: string,
    [id, other]: readonly [id: string, other: string],
    pairs: readonly ItemPair[],
    bytes: ReadonlyMap<TestRunItemSummary, number>,
  ): Promise<Likeness[]> {
    const likenesses = pairs.map((): Likeness => 'unknown');
    for (const batch of splitBatches(pairs, bytes)) {
      await this.turns.next();
      const read = async (runId: string, side: 'here' | 'there'): Promise<Map<string, TestRunItemRecord>> => {
        const keys = batch.map((pair) => itemKey(pair[side]));
        const stored = await this.meta.testRuns.readItems(accountId, runId, keys);
        return new Map(stored.map(({ record }) => [itemKey(record).join(), record]));
      };
      const [here, there] = await Promise.all([read(id, 'here'), read(other, 'there')]);
      for (const pair of batch) {
        const [now, before] = [here.get(itemKey(pair.here).join()), there.get(itemKey(pair.there).join())];
        if (now && before) likenesses[pair.index] = compareItems(now, before);
      }
    }
    return likenesses;
  }

  private addToCache(key: string, likenesses: readonly Likeness[]): void {
    this.cache.delete(key);
    this.cache.set(key, likenesses);
    const [oldest] = this.cache.keys();
    if (this.cache.size > MAX_CACHED_COMPARISONS && oldest !== undefined) this.cache.delete(oldest);
  }

  private async listRunItems(accountId: string, id: string): Promise<ReadItem[]> {
    const datasetItems = await this.readDatasetItems(accountId, id);
    const items: ReadItem[] = [];
    let after: ItemKey | undefined;
    do {
      await this.turns.next();
      const range = { limit: READ_AT_ONCE, ...(after !== undefined && { after }) };
      const rows = await this.meta.testRuns.listItems(accountId, id, {}, range);
      for (const { summary, payload_bytes: payloadBytes } of rows) {
        const source = itemSource(summary, datasetItems.get(summary.item_no));
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

  /** Returns the ids of the dataset items in the run's selection, by item number. */
  private async readDatasetItems(accountId: string, id: string): Promise<Map<number, string>> {
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

/** Pairs that both runs have, in batches that bound the memory of their outcomes. */
function* splitBatches(
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

/** `undefined` until both runs are finished, because their outcomes may change. `erased` is in the key because erasing changes pairs. */
function comparisonKey(
  accountId: string,
  here: TestRunRecord,
  there: TestRunRecord,
  erased: number,
): string | undefined {
  if (here.finished_at === undefined || there.finished_at === undefined) return undefined;
  return [accountId, here.id, here.finished_at, there.id, there.finished_at, erased].join();
}

type PairPosition = readonly [side: number, itemNo: number, repetition: number];

/** Items of this run come first, then those that only the other run has. */
function pairPosition({ here, there }: ComparedItem): PairPosition {
  const { item_no: itemNo = 0, repetition = 0 } = here ?? there ?? {};
  return [here === undefined ? 1 : 0, itemNo, repetition];
}

function isPast(position: PairPosition, after: PairPosition): boolean {
  const at = position.findIndex((part, index) => part !== after[index]);
  return at !== -1 && (position[at] ?? 0) > (after[at] ?? 0);
}
