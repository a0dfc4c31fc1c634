import {
  formatTimestamp,
  parseTimestamp,
  type TestRunItemRecord,
  type TestRunTotals,
} from '@dacapo/protocol';
import type { Range } from '../../../span-store.js';
import {
  type ListedItem,
  type NewTestRun,
  NO_TOTALS,
  type StoredTestRun,
  type TestRunStore,
} from '../../../test-run-store.js';
import type { Connection } from '../connection.js';
import type { SqlParameter } from '../sql-value.js';

interface TestRunRow extends Pick<TestRunTotals, 'items' | 'same' | 'changed' | 'error'> {
  test_run_id: string;
  trace_function_key: string;
  name: string | null;
  created_us: number;
  finished_us: number | null;
}

const TOTALS = `(SELECT count(*) FROM test_run_items i WHERE i.account_id = r.account_id
  AND i.test_run_id = r.test_run_id`;
const SELECT_RUNS = `SELECT test_run_id, trace_function_key, name, created_us, finished_us, ${TOTALS}) AS items,
  ${TOTALS} AND verdict = 'same') AS same, ${TOTALS} AND verdict = 'changed') AS changed,
  ${TOTALS} AND verdict = 'error') AS error FROM test_runs r`;

export class SqliteTestRunStore implements TestRunStore {
  constructor(
    private readonly writer: Connection,
    private readonly reader: Connection,
  ) {}

  async create(accountId: string, run: NewTestRun): Promise<void> {
    await this.writer.write([
      {
        sql: `INSERT INTO test_runs(account_id, test_run_id, trace_function_key, name, created_us)
          VALUES (?, ?, ?, ?, ?)`,
        rows: [[accountId, run.id, run.traceFunctionKey, run.name, parseTimestamp(run.createdAt)]],
      },
    ]);
  }

  async find(accountId: string, id: string): Promise<StoredTestRun | undefined> {
    const [row] = await this.reader.all<TestRunRow>(
      `${SELECT_RUNS} WHERE account_id = ? AND test_run_id = ?`,
      [accountId, id],
    );
    return row && toTestRun(row);
  }

  async list(
    accountId: string,
    filter: { traceFunctionKey?: string },
    { limit, after }: Range,
  ): Promise<StoredTestRun[]> {
    const key: SqlParameter[] = filter.traceFunctionKey === undefined ? [] : [filter.traceFunctionKey];
    const rows = await this.reader.all<TestRunRow>(
      `${SELECT_RUNS} WHERE account_id = ? ${key.length === 0 ? '' : 'AND trace_function_key = ?'}
        ${after ? 'AND (created_us, test_run_id) < (?, ?)' : ''}
        ORDER BY created_us DESC, test_run_id DESC LIMIT ?`,
      [accountId, ...key, ...(after ? [parseTimestamp(after[0]), after[1]] : []), limit],
    );
    return rows.map(toTestRun);
  }

  async finish(accountId: string, id: string, finishedAt: string): Promise<void> {
    await this.writer.write([
      {
        sql: `UPDATE test_runs SET finished_us = ?
          WHERE account_id = ? AND test_run_id = ? AND finished_us IS NULL`,
        rows: [[parseTimestamp(finishedAt), accountId, id]],
      },
    ]);
  }

  async putItems(accountId: string, runId: string, items: TestRunItemRecord[]): Promise<void> {
    await this.writer.write([
      {
        sql: `INSERT INTO test_run_items(account_id, test_run_id, item_no, verdict, record, record_bytes)
          VALUES (?, ?, ?, ?, ?, ?)
          ON CONFLICT(account_id, test_run_id, item_no) DO UPDATE
          SET verdict = excluded.verdict, record = excluded.record, record_bytes = excluded.record_bytes`,
        rows: items.map((item) => {
          const record = JSON.stringify(item);
          return [accountId, runId, item.item_no, item.verdict, record, Buffer.byteLength(record)];
        }),
      },
    ]);
  }

  listItems(accountId: string, runId: string, { limit, after = -1 }: Range<number>): Promise<ListedItem[]> {
    return this.reader.all<ListedItem>(
      `SELECT item_no, record_bytes AS payload_bytes FROM test_run_items
        WHERE account_id = ? AND test_run_id = ? AND item_no > ? ORDER BY item_no LIMIT ?`,
      [accountId, runId, after, limit],
    );
  }

  async readItems(accountId: string, runId: string, itemNos: number[]): Promise<TestRunItemRecord[]> {
    const rows = await this.reader.all<{ record: string }>(
      `SELECT record FROM test_run_items WHERE account_id = ? AND test_run_id = ?
        AND item_no IN (SELECT value FROM json_each(?)) ORDER BY item_no`,
      [accountId, runId, JSON.stringify(itemNos)],
    );
    return rows.map(({ record }) => JSON.parse(record) as TestRunItemRecord);
  }
}

function toTestRun(row: TestRunRow): StoredTestRun {
  return {
    id: row.test_run_id,
    trace_function_key: row.trace_function_key,
    ...(row.name !== null && { name: row.name }),
    status: row.finished_us === null ? 'running' : 'finished',
    created_at: formatTimestamp(row.created_us),
    heartbeat_at: formatTimestamp(row.created_us),
    ...(row.finished_us !== null && { finished_at: formatTimestamp(row.finished_us) }),
    totals: {
      ...NO_TOTALS,
      items: row.items,
      same: row.same,
      changed: row.changed,
      error: row.error,
    },
  };
}
