import { PAIR_RELATIONS, type PairRelation, type ComparedItem, type RunComparison } from '@dacapo/protocol';
import { Injectable } from '@nestjs/common';
import { encodeCursor, type PageRequest, readPosition } from '../cursor.js';
import { Turns } from '../memory/turns.js';
import { SpanStore } from '../storage/ports/span-store.js';
import { compareFigures } from './compare-figures.js';
import { pairItems, pairRelation } from './pair-items.js';
import { RunOutcomes } from './run-outcomes.js';
import { TestRunService } from './test-run-service.js';

/** Compares two runs. */
@Injectable()
export class RunComparisonService {
  constructor(
    private readonly outcomes: RunOutcomes,
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
    const items = await this.outcomes.listItems(accountId, id);
    const others = id === other ? items : await this.outcomes.listItems(accountId, other);
    const paired = pairItems(items, others);
    const likenesses = await this.outcomes.compare(accountId, [here, there], paired, [...items, ...others]);
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
