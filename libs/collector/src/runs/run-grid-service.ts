import { type Agreement, AGREEMENTS, type GridRow, type RunGrid, type TestRunRecord } from '@dacapo/protocol';
import { Injectable } from '@nestjs/common';
import { encodeCursor, type PageRequest, readPosition } from '../cursor.js';
import { type GridCells, joinRows } from './grid-rows.js';
import type { Likeness } from './outcome-likeness.js';
import { type ItemPair, pairRelation } from './pair-items.js';
import { type ReadItem, RunOutcomes } from './run-outcomes.js';
import { TestRunService } from './test-run-service.js';

/** Compares several runs call by call. */
@Injectable()
export class RunGridService {
  constructor(
    private readonly outcomes: RunOutcomes,
    private readonly runs: TestRunService,
  ) {}

  /**
   * @throws NotFoundException when one of the runs does not exist
   * @throws InvalidCursorError
   * @throws PayloadTooLargeException when a run has more items than `LIMITS.comparedItems`
   */
  async compare(
    accountId: string,
    { ids, agreement }: { ids: readonly string[]; agreement: Agreement | undefined },
    page: PageRequest,
  ): Promise<RunGrid> {
    const { after: [start] = [0] } = readPosition(page, 'number');
    const runs: TestRunRecord[] = [];
    const items: ReadItem[][] = [];
    for (const id of ids) {
      runs.push(await this.runs.get(accountId, id));
      items.push(await this.outcomes.listItems(accountId, id));
    }
    const cells = joinRows(items);
    const columns = await this.compareWithFirst(accountId, runs, cells, items.flat());
    const rows = cells.map((row, index): GridRow => ({
      agreement: findAgreement(
        row,
        columns.map((column) => column[index] ?? 'unknown'),
      ),
      cells: row.map((item) => ({ ...(item && { item }) })),
    }));
    const totals = Object.fromEntries(AGREEMENTS.map((name) => [name, 0])) as RunGrid['totals'];
    for (const row of rows) totals[row.agreement] += 1;
    const listed = AGREEMENTS.filter((name) => agreement === undefined || name === agreement).flatMap(
      (name) => rows.filter((row) => row.agreement === name),
    );
    const end = start + page.limit;
    return {
      runs,
      totals,
      items: listed.slice(start, end),
      ...(listed.length > end && { next_cursor: encodeCursor([end]) }),
    };
  }

  /** Returns the likenesses of each other run with the first, by row. */
  private async compareWithFirst(
    accountId: string,
    [first, ...others]: readonly TestRunRecord[],
    rows: readonly GridCells[],
    all: readonly ReadItem[],
  ): Promise<(readonly Likeness[])[]> {
    const columns: (readonly Likeness[])[] = [];
    for (const [index, other] of others.entries()) {
      if (first === undefined) break;
      const pairs = rows.map(([here, ...rest]) => toPair(here, rest[index]));
      columns.push(await this.outcomes.compare(accountId, [first, other], pairs, all, others));
    }
    return columns;
  }
}

/** @param likenesses of the other runs with the first */
function findAgreement([first, ...others]: GridCells, likenesses: readonly Likeness[]): Agreement {
  const relations = others.map((other, index) =>
    pairRelation(toPair(first, other), likenesses[index] ?? 'unknown'),
  );
  if (relations.every((relation) => relation === 'same_outcome')) return 'same';
  const isKnown = relations.some((relation) => relation !== 'same_outcome' && relation !== 'unknown');
  return isKnown ? 'different' : 'unknown';
}

function toPair(here: GridCells[number], there: GridCells[number]): ItemPair {
  return { ...(here && { here }), ...(there && { there }) };
}
