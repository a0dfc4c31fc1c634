import {
  LIMITS,
  type TestRunItemRecord,
  type TestRunItemSummary,
  type TestRunRecord,
} from '@dacapo/protocol';
import { Injectable, PayloadTooLargeException } from '@nestjs/common';
import { Turns } from '../memory/turns.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import type { ItemKey } from '../storage/ports/test-run.js';
import { type Likeness, compareItems } from './outcome-likeness.js';
import { type ItemPair, type SourcedItem, itemSource } from './pair-items.js';
import { itemKey } from './stored-item.js';

const READ_AT_ONCE = 1000;
/** The bytes are those of both runs, approximately. */
const COMPARED_AT_ONCE = { items: 100, bytes: 4_000_000 };
/** Comparisons are cached because a client reads them page by page. */
const MAX_CACHED_COMPARISONS = LIMITS.comparedRuns;

export interface ReadItem extends SourcedItem {
  payloadBytes: number;
}

/** Reads the items of runs that are compared, and compares their outcomes. */
@Injectable()
export class RunOutcomes {
  /** By {@link comparisonKey}: the likeness of each pair. */
  private readonly cache = new Map<string, readonly Likeness[]>();

  constructor(
    private readonly meta: MetaStore,
    private readonly turns: Turns,
  ) {}

  /** @throws PayloadTooLargeException when the run has more items than `LIMITS.comparedItems` */
  async listItems(accountId: string, id: string): Promise<ReadItem[]> {
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
          `Only runs of at most ${LIMITS.comparedItems} items can be compared, but ${id} has more. ` +
            'Replay one with the other as its baseline instead',
        );
      }
      const last = rows.length < READ_AT_ONCE ? undefined : rows.at(-1)?.summary;
      after = last && [last.item_no, last.repetition ?? 0];
    } while (after !== undefined);
    return items;
  }

  /**
   * Returns the likeness of each pair, `unknown` when one run lacks the item.
   *
   * @param all items of the runs that are compared
   * @param among other runs that decide which items are paired
   */
  async compare(
    accountId: string,
    [here, there]: readonly [here: TestRunRecord, there: TestRunRecord],
    pairs: readonly ItemPair[],
    all: readonly ReadItem[],
    among: readonly TestRunRecord[] = [],
  ): Promise<readonly Likeness[]> {
    const erased = all.filter(({ item }) => item.erased === true).length;
    const key = comparisonKey([accountId, erased], [here, there, ...among]);
    const known = key === undefined ? undefined : this.cache.get(key);
    const bytes = new Map(all.map(({ item, payloadBytes }) => [item, payloadBytes]));
    const likenesses = known ?? (await this.compareStored(accountId, [here.id, there.id], pairs, bytes));
    if (key !== undefined) this.addToCache(key, likenesses);
    return likenesses;
  }

  private async compareStored(
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

/** `undefined` until all runs are finished, because their items may change. @param others what else changes the pairs */
function comparisonKey(
  others: readonly (string | number)[],
  runs: readonly TestRunRecord[],
): string | undefined {
  if (runs.some((run) => run.finished_at === undefined)) return undefined;
  return [...others, ...runs.flatMap((run) => [run.id, run.finished_at])].join();
}
