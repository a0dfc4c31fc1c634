import type { DecisionRecord, Judgement, Verdict } from '@dacapo/protocol';
import type { Range } from '../ports/range.js';
import type { ItemKey, ItemState } from '../ports/test-run.js';
import type { MetaTransaction } from './transaction.js';

const OF_RUN = 'account_id = :accountId AND test_run_id = :runId';
const STATE_COLUMNS = `item_no, repetition, verdict, fixed, failing_as_before, new_error, accepted, diverged, is_erased, judgement,
  is_ignored`;

export interface NewDecision {
  traceFunctionKey: string;
  record: DecisionRecord;
  /** A judgement of `null` removes the earlier one. */
  judgements: readonly { item: ItemKey; judgement: Judgement | null }[];
  /** The items that differ only at ignored paths. Absent: the paths stay unchanged. */
  ignoredItems?: readonly ItemKey[];
}

interface StateRow {
  item_no: number;
  repetition: number;
  verdict: Verdict;
  fixed: 0 | 1;
  failing_as_before: 0 | 1;
  new_error: 0 | 1;
  accepted: 0 | 1;
  diverged: 0 | 1;
  is_erased: 0 | 1;
  judgement: Judgement | null;
  is_ignored: 0 | 1;
}

/** People's decisions on finished runs. They never change, and are numbered from 1 in each run. */
export class Decisions {
  static readonly writes = ['add'] as const;

  constructor(private readonly db: MetaTransaction) {}

  /**
   * Stores the next decision of a run, with the judgements and paths that it changes.
   *
   * @returns `false` if its number is taken, or the run is not finished and counted
   */
  async add(accountId: string, runId: string, decision: NewDecision): Promise<boolean> {
    const { no, passed, author, decided_at, change } = decision.record;
    const run = { accountId, runId };
    const latest = JSON.stringify({ no, passed, author, decided_at });
    const changed = await this.db.run(
      `UPDATE test_runs SET decision_no = :no, decision = :latest
        WHERE ${OF_RUN} AND decision_no = :no - 1 AND finished_us IS NOT NULL AND totals IS NOT NULL`,
      { ...run, no, latest },
    );
    if (changed === 0) return false;
    await this.db.insert('test_run_decisions', {
      account_id: accountId,
      test_run_id: runId,
      decision_no: no,
      record: JSON.stringify(decision.record),
    });
    for (const judgement of new Set(decision.judgements.map((one) => one.judgement))) {
      const judged = decision.judgements.filter((one) => one.judgement === judgement);
      await this.db.run(`UPDATE test_run_items SET judgement = :judgement WHERE ${this.among()}`, {
        ...run,
        judgement,
        keys: JSON.stringify(judged.map(({ item }) => item)),
      });
    }
    if (decision.ignoredItems !== undefined) {
      await this.db.run(`UPDATE test_run_items SET is_ignored = 0 WHERE ${OF_RUN} AND is_ignored = 1`, run);
      const keys = JSON.stringify(decision.ignoredItems);
      await this.db.run(`UPDATE test_run_items SET is_ignored = 1 WHERE ${this.among()}`, { ...run, keys });
    }
    await this.changePaths(accountId, decision.traceFunctionKey, change);
    return true;
  }

  /** Newest first. */
  async list(accountId: string, runId: string, { limit, after }: Range<number>): Promise<DecisionRecord[]> {
    const rows = await this.db.all<{ record: string }>(
      `SELECT record FROM test_run_decisions WHERE ${OF_RUN} ${after === undefined ? '' : 'AND decision_no < :after'}
        ORDER BY decision_no DESC LIMIT :limit`,
      { accountId, runId, after, limit },
    );
    return rows.map(({ record }) => JSON.parse(record) as DecisionRecord);
  }

  /** Judged and ignored items. */
  async listJudged(accountId: string, runId: string): Promise<ItemState[]> {
    const rows = await this.db.all<StateRow>(
      `SELECT ${STATE_COLUMNS} FROM test_run_items WHERE ${OF_RUN} AND (judgement IS NOT NULL OR is_ignored = 1)`,
      { accountId, runId },
    );
    return rows.map(toState);
  }

  /** The states of these items. Missing items are skipped. */
  async readStates(accountId: string, runId: string, keys: readonly ItemKey[]): Promise<ItemState[]> {
    const rows = await this.db.all<StateRow>(
      `SELECT ${STATE_COLUMNS} FROM ${this.db.dialect.pairs(':keys', ['w_item', 'w_repetition'])} w
        ${this.db.dialect.join} test_run_items ON ${OF_RUN} AND item_no = w_item AND repetition = w_repetition`,
      { accountId, runId, keys: JSON.stringify(keys) },
    );
    return rows.map(toState);
  }

  /** The number of items whose function was not called. */
  async countUncalled(accountId: string, runId: string): Promise<number> {
    const row = await this.db.get<{ count: number }>(
      `SELECT count(*) AS count FROM test_run_items WHERE ${OF_RUN} AND verdict = 'error'
        AND ${this.db.dialect.number('summary', 'duration_ms')} IS NULL`,
      { accountId, runId },
    );
    return row?.count ?? 0;
  }

  /** The paths that runs with this key ignore, sorted. */
  async listIgnoredPaths(accountId: string, traceFunctionKey: string): Promise<string[]> {
    const rows = await this.db.all<{ path: string }>(
      'SELECT path FROM ignored_paths WHERE account_id = :accountId AND trace_function_key = :traceFunctionKey ORDER BY path',
      { accountId, traceFunctionKey },
    );
    return rows.map(({ path }) => path);
  }

  private among(): string {
    const pairs = this.db.dialect.pairs(':keys', ['w_item', 'w_repetition']);
    return `${OF_RUN} AND (item_no, repetition) IN (SELECT w_item, w_repetition FROM ${pairs} w)`;
  }

  private async changePaths(
    accountId: string,
    traceFunctionKey: string,
    { ignored, compared }: DecisionRecord['change'],
  ): Promise<void> {
    const rows = ignored.map((path) => ({
      account_id: accountId,
      trace_function_key: traceFunctionKey,
      path,
    }));
    await this.db.insertAll('ignored_paths', rows, 'ON CONFLICT DO NOTHING');
    for (const path of compared) {
      await this.db.run(
        'DELETE FROM ignored_paths WHERE account_id = :accountId AND trace_function_key = :traceFunctionKey AND path = :path',
        { accountId, traceFunctionKey, path },
      );
    }
  }
}

function toState(row: StateRow): ItemState {
  return {
    item: [row.item_no, row.repetition],
    verdict: row.verdict,
    flags: {
      fixed: row.fixed === 1,
      failing_as_before: row.failing_as_before === 1,
      new_error: row.new_error === 1,
      accepted: row.accepted === 1,
      diverged: row.diverged === 1,
    },
    isErased: row.is_erased === 1,
    ...(row.judgement !== null && { judgement: row.judgement }),
    isIgnored: row.is_ignored === 1,
  };
}
