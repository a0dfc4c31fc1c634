import { type Acceptance, parseTimestamp } from '@dacapo/protocol';
import type {
  AcceptedOutcome,
  AcceptedOutcomeStore,
  NewAcceptance,
} from '../../../accepted-outcome-store.js';
import type { ItemKey } from '../../../test-run-store.js';
import type { Connection } from '../connection.js';
import type { ReaderPool } from '../reader-pool.js';

const OF_ITEM =
  'account_id = ? AND test_run_id = ? AND item_no = ? AND repetition = ? AND taken_back_us IS NULL';

export class SqliteAcceptedOutcomeStore implements AcceptedOutcomeStore {
  constructor(
    private readonly writer: Connection,
    private readonly reader: ReaderPool,
  ) {}

  async add(accountId: string, accepted: NewAcceptance): Promise<void> {
    const { traceFunctionKey, source, testRunId, item, acceptance, outcome } = accepted;
    await this.writer.write([
      {
        sql: `INSERT INTO accepted_outcomes(account_id, trace_function_key, source, test_run_id, item_no, repetition,
            acceptance, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        rows: [
          [
            ...[accountId, traceFunctionKey, source, testRunId, ...item],
            ...[JSON.stringify(acceptance), JSON.stringify(outcome)],
          ],
        ],
      },
    ]);
  }

  async takeBack(accountId: string, testRunId: string, item: ItemKey, takenBackAt: string): Promise<boolean> {
    const [outcome] = await this.writer.write([
      {
        sql: `UPDATE accepted_outcomes SET taken_back_us = ? WHERE ${OF_ITEM}`,
        rows: [[parseTimestamp(takenBackAt), accountId, testRunId, ...item]],
      },
    ]);
    return (outcome?.changes ?? 0) > 0;
  }

  async findInForce(
    accountId: string,
    traceFunctionKey: string,
    sources: readonly string[],
  ): Promise<Map<string, number>> {
    const rows = await this.reader.of(accountId).all<{ source: string; accepted_no: number }>(
      `SELECT source, max(accepted_no) AS accepted_no FROM accepted_outcomes
        WHERE account_id = ? AND trace_function_key = ? AND taken_back_us IS NULL
          AND source IN (SELECT value FROM json_each(?))
        GROUP BY source`,
      [accountId, traceFunctionKey, JSON.stringify(sources)],
    );
    return new Map(rows.map(({ source, accepted_no }) => [source, accepted_no]));
  }

  async read(accountId: string, numbers: readonly number[]): Promise<Map<number, AcceptedOutcome>> {
    const rows = await this.reader.of(accountId).all<{ accepted_no: number; outcome: string }>(
      `SELECT accepted_no, outcome FROM accepted_outcomes
        WHERE account_id = ? AND accepted_no IN (SELECT value FROM json_each(?))`,
      [accountId, JSON.stringify(numbers)],
    );
    return new Map(
      rows.map(({ accepted_no, outcome }) => [accepted_no, JSON.parse(outcome) as AcceptedOutcome]),
    );
  }

  async listOfItems(
    accountId: string,
    testRunId: string,
    items: readonly ItemKey[],
  ): Promise<{ item: ItemKey; acceptance: Acceptance }[]> {
    const rows = await this.reader
      .of(accountId)
      .all<{ item_no: number; repetition: number; acceptance: string }>(
        `SELECT item_no, repetition, acceptance FROM (SELECT value AS key FROM json_each(?))
        CROSS JOIN accepted_outcomes ON account_id = ? AND test_run_id = ? AND item_no = key ->> 0
          AND repetition = key ->> 1 AND taken_back_us IS NULL
        ORDER BY accepted_no`,
        [JSON.stringify(items), accountId, testRunId],
      );
    return rows.map(({ item_no, repetition, acceptance }) => ({
      item: [item_no, repetition],
      acceptance: JSON.parse(acceptance) as Acceptance,
    }));
  }
}
