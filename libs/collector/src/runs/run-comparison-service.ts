import {
  LIMITS,
  PAIR_RELATIONS,
  type PairRelation,
  type ComparedItem,
  type RunComparison,
} from '@dacapo/protocol';
import { Injectable, PayloadTooLargeException } from '@nestjs/common';
import { encodeCursor, type PageRequest, positionOf } from '../cursor.js';
import { Turns } from '../memory/turns.js';
import { MetaStore } from '../storage/meta-store.js';
import type { ItemKey } from '../storage/test-run-store.js';
import { compareFigures } from './compare-figures.js';
import { pairItems, type SourcedItem, sourceOfItem } from './pair-items.js';
import { TestRunService } from './test-run-service.js';

/** Items that are read in one go. */
const READ_AT_ONCE = 1000;

/** One run beside another. */
@Injectable()
export class RunComparisonService {
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
    const pairs = pairItems(items, id === other ? items : await this.itemsOf(accountId, other));
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

  private async itemsOf(accountId: string, id: string): Promise<SourcedItem[]> {
    const played = await this.datasetItemsOf(accountId, id);
    const items: SourcedItem[] = [];
    let after: ItemKey | undefined;
    do {
      await this.turns.next();
      const range = { limit: READ_AT_ONCE, ...(after !== undefined && { after }) };
      const rows = await this.meta.testRuns.listItems(accountId, id, {}, range);
      for (const { summary } of rows) {
        items.push({ item: summary, source: sourceOfItem(summary, played.get(summary.item_no)) });
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
