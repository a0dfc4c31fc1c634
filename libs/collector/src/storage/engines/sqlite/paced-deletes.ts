import { setTimeout as sleep } from 'node:timers/promises';
import type { CallStep, Connection, Reader, Step, StepResult } from './connection.js';
import type { SqlParameter } from '../../meta/transaction.js';

/** Deletions take turns with the accounts, as one of them. */
const TURN = 'deletions';

/** A write that takes longer makes the next one smaller; one that takes much less makes it larger. */
const LONGEST_MS = 10;
const FIRST_ROWS = 50;
const FEWEST_ROWS = 10;
const MOST_ROWS = 1_000;

/** Deletes in many short writes, so that other writes wait for one of them at most. */
export class PacedDeletes {
  private rows = FIRST_ROWS;

  constructor(
    private readonly writer: Pick<Connection, 'writeTimed'>,
    private readonly queue: Pick<Connection, 'pending'>,
    private readonly reader: Reader,
  ) {}

  /**
   * Runs one write.
   *
   * @param createSteps returns the steps for at most this many rows
   * @returns the outcomes, and the maximum of rows that was allowed
   */
  async next(
    createSteps: (rows: number) => readonly (Step | CallStep)[],
    mostRows = MOST_ROWS,
  ): Promise<{ outcomes: StepResult[]; rows: number }> {
    const rows = Math.min(this.rows, mostRows);
    const { outcomes, tookMs } = await this.writer.writeTimed(createSteps(rows), TURN);
    if (tookMs > LONGEST_MS) this.rows = Math.max(FEWEST_ROWS, Math.floor(this.rows / 2));
    else if (tookMs < LONGEST_MS / 3 && rows === this.rows) this.rows = Math.min(MOST_ROWS, rows * 2);
    if (this.queue.pending > 0) await sleep(tookMs);
    return { outcomes, rows };
  }

  /**
   * Deletes the rows of a table that match a condition.
   *
   * @param more steps of each write after its deletion
   * @returns the number of rows
   */
  async all(
    table: string,
    condition: string,
    parameters: SqlParameter[],
    more: Step[] = [],
  ): Promise<number> {
    const key = await this.findPrimaryKey(table);
    const sql = `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ?)`;
    for (let deleted = 0; ;) {
      const { outcomes, rows } = await this.next((most) => [{ sql, rows: [[...parameters, most]] }, ...more]);
      const changes = outcomes[0]?.changes ?? 0;
      deleted += changes;
      if (changes < rows) return deleted;
    }
  }

  private async findPrimaryKey(table: string): Promise<string> {
    const columns = await this.reader.all<{ name: string }>(
      'SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk',
      [table],
    );
    return columns.length === 0 ? 'rowid' : columns.map(({ name }) => name).join(', ');
  }
}
