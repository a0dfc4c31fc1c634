import { type Acceptance, type BaselineOutcome, parseTimestamp } from '@dacapo/protocol';
import type { ItemKey, SelectedRef } from '../ports/test-run.js';
import type { MetaTransaction } from './transaction.js';

/** The outcome of an accepted call. */
export type AcceptedOutcome = Pick<BaselineOutcome, 'output' | 'error' | 'meta'>;

export interface NewAcceptance {
  traceFunctionKey: string;
  /** The key of what the item replayed; see {@link toSourceKey}. */
  source: string;
  testRunId: string;
  item: ItemKey;
  acceptance: Acceptance;
  /** A copy: it stays when the spans of the run are deleted. */
  outcome: AcceptedOutcome;
}

/** The key of a replayed call or dataset item in later runs; `undefined` if it has none. */
export function toSourceKey({
  trace_id,
  span_id,
  dataset_item_id,
}: Partial<SelectedRef>): string | undefined {
  if (dataset_item_id !== undefined) return `item/${dataset_item_id}`;
  return trace_id === undefined || span_id === undefined ? undefined : `call/${trace_id}/${span_id}`;
}

/**
 * Outcomes that people accepted. They never change. For each key and source, the last one that was not taken back is in force.
 * Every method is limited to one account.
 */
export class AcceptedOutcomes {
  static readonly writes = ['add', 'takeBack'] as const;

  constructor(private readonly db: MetaTransaction) {}

  async add(accountId: string, { item: [itemNo, repetition], ...accepted }: NewAcceptance): Promise<void> {
    await this.db.insert('accepted_outcomes', {
      account_id: accountId,
      trace_function_key: accepted.traceFunctionKey,
      source: accepted.source,
      test_run_id: accepted.testRunId,
      item_no: itemNo,
      repetition,
      acceptance: JSON.stringify(accepted.acceptance),
      outcome: JSON.stringify(accepted.outcome),
    });
  }

  /** Takes back the outcomes accepted from this item. @returns whether there were any */
  async takeBack(
    accountId: string,
    runId: string,
    [itemNo, repetition]: ItemKey,
    takenBackAt: string,
  ): Promise<boolean> {
    const changed = await this.db.run(
      `UPDATE accepted_outcomes SET taken_back_us = :takenBackUs WHERE account_id = :accountId
        AND test_run_id = :runId AND item_no = :itemNo AND repetition = :repetition AND taken_back_us IS NULL`,
      { accountId, runId, itemNo, repetition, takenBackUs: parseTimestamp(takenBackAt) },
    );
    return changed > 0;
  }

  /** The numbers of the outcomes in force, by source. Sources without one are skipped. */
  async findInForce(
    accountId: string,
    traceFunctionKey: string,
    sources: readonly string[],
  ): Promise<Map<string, number>> {
    const rows = await this.db.all<{ source: string; accepted_no: number }>(
      `SELECT source, max(accepted_no) AS accepted_no FROM accepted_outcomes
        WHERE account_id = :accountId AND trace_function_key = :traceFunctionKey AND taken_back_us IS NULL
          AND source IN (SELECT value FROM ${this.db.dialect.texts(':sources')})
        GROUP BY source`,
      { accountId, traceFunctionKey, sources: JSON.stringify(sources) },
    );
    return new Map(rows.map(({ source, accepted_no }) => [source, accepted_no]));
  }

  /** Outcomes by number, including those that were taken back since. */
  async read(accountId: string, numbers: readonly number[]): Promise<Map<number, AcceptedOutcome>> {
    const rows = await this.db.all<{ accepted_no: number; outcome: string }>(
      `SELECT accepted_no, outcome FROM accepted_outcomes WHERE account_id = :accountId
        AND accepted_no IN (SELECT value FROM ${this.db.dialect.numbers(':numbers')} n)`,
      { accountId, numbers: JSON.stringify(numbers) },
    );
    return new Map(rows.map((row) => [row.accepted_no, JSON.parse(row.outcome) as AcceptedOutcome]));
  }

  /** Outcomes that were accepted from these items and not taken back. */
  async listOfItems(
    accountId: string,
    runId: string,
    items: readonly ItemKey[],
  ): Promise<{ item: ItemKey; acceptance: Acceptance }[]> {
    const rows = await this.db.all<{ item_no: number; repetition: number; acceptance: string }>(
      `SELECT item_no, repetition, acceptance
        FROM ${this.db.dialect.pairs(':items', ['w_item', 'w_repetition'])} w
        ${this.db.dialect.join} accepted_outcomes ON account_id = :accountId AND test_run_id = :runId
          AND item_no = w_item AND repetition = w_repetition AND taken_back_us IS NULL
        ORDER BY accepted_no`,
      { accountId, runId, items: JSON.stringify(items) },
    );
    return rows.map(({ item_no, repetition, acceptance }) => ({
      item: [item_no, repetition],
      acceptance: JSON.parse(acceptance) as Acceptance,
    }));
  }
}
