import {
  formatTimestamp,
  ITEM_FLAGS,
  parseTimestamp,
  type SelectionRecord,
  type TestRunItemRecord,
  type TestRunItemSummary,
  type TestRunTotals,
  VERDICTS,
} from '@dacapo/protocol';
import type { Range } from '../../../span-store.js';
import type {
  ItemFilter,
  ItemKey,
  ListedItem,
  NewTestRun,
  SelectedRef,
  StoredItem,
  StoredTestRun,
  TestRunChanges,
  TestRunStore,
} from '../../../test-run-store.js';
import type { Connection } from '../connection.js';
import type { SqlParameter } from '../sql-value.js';

interface TestRunRow {
  test_run_id: string;
  trace_function_key: string;
  name: string | null;
  created_us: number;
  heartbeat_us: number | null;
  finished_us: number | null;
  is_stopped: 0 | 1;
  selection: string | null;
  expected_items: number | null;
  skipped: string | null;
  totals: string | null;
}

type Condition = [sql: string, ...parameters: SqlParameter[]];

const OF_RUN = 'account_id = ? AND test_run_id = ?';

const COUNTS = [
  ...VERDICTS.map((verdict) => `coalesce(sum(verdict = '${verdict}'), 0) AS ${verdict}`),
  ...ITEM_FLAGS.map((flag) => `coalesce(sum(${flag}), 0) AS ${flag}`),
].join(', ');

const COUNT = `SELECT count(*) AS items, ${COUNTS}, (
    SELECT count(*) FROM (SELECT 1 FROM test_run_items WHERE account_id = ?1 AND test_run_id = ?2
      GROUP BY item_no HAVING count(DISTINCT verdict) > 1)
  ) AS flaky
  FROM test_run_items WHERE account_id = ?1 AND test_run_id = ?2`;

const ITEM_COLUMNS = `account_id, test_run_id, item_no, repetition, verdict, ${ITEM_FLAGS.join(', ')}, is_pending,
  new_trace_id, summary, record, record_bytes`;

const PUT_ITEM = `INSERT INTO test_run_items(${ITEM_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT(account_id, test_run_id, item_no, repetition) DO UPDATE
  SET verdict = excluded.verdict, ${ITEM_FLAGS.map((flag) => `${flag} = excluded.${flag}`).join(', ')},
    is_pending = excluded.is_pending, new_trace_id = excluded.new_trace_id, summary = excluded.summary,
    record = excluded.record, record_bytes = excluded.record_bytes`;

export class SqliteTestRunStore implements TestRunStore {
  constructor(
    private readonly writer: Connection,
    private readonly reader: Connection,
  ) {}

  async create(accountId: string, run: NewTestRun, selected: readonly SelectedRef[]): Promise<void> {
    const createdUs = parseTimestamp(run.createdAt);
    await this.writer.write([
      {
        sql: `INSERT INTO test_runs(account_id, test_run_id, trace_function_key, name, created_us, heartbeat_us, selection)
          VALUES (?, ?, ?, ?, ?, ?, ?)`,
        rows: [
          [
            accountId,
            run.id,
            run.traceFunctionKey,
            run.name,
            createdUs,
            createdUs,
            run.selection && JSON.stringify(run.selection),
          ],
        ],
      },
      {
        sql: `INSERT INTO test_run_selections(account_id, test_run_id, item_no, trace_id, span_id)
          SELECT ?, ?, value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)`,
        rows: [
          [
            accountId,
            run.id,
            JSON.stringify(selected.map(({ item_no, trace_id, span_id }) => [item_no, trace_id, span_id])),
          ],
        ],
      },
    ]);
  }

  async find(accountId: string, id: string): Promise<StoredTestRun | undefined> {
    const [row] = await this.reader.all<TestRunRow>(`SELECT * FROM test_runs WHERE ${OF_RUN}`, [
      accountId,
      id,
    ]);
    return row && toTestRun(row);
  }

  async list(
    accountId: string,
    filter: { traceFunctionKey?: string },
    { limit, after }: Range,
  ): Promise<StoredTestRun[]> {
    const key: SqlParameter[] = filter.traceFunctionKey === undefined ? [] : [filter.traceFunctionKey];
    const rows = await this.reader.all<TestRunRow>(
      `SELECT * FROM test_runs WHERE account_id = ? ${key.length === 0 ? '' : 'AND trace_function_key = ?'}
        ${after ? 'AND (created_us, test_run_id) < (?, ?)' : ''}
        ORDER BY created_us DESC, test_run_id DESC LIMIT ?`,
      [accountId, ...key, ...(after ? [parseTimestamp(after[0]), after[1]] : []), limit],
    );
    return rows.map(toTestRun);
  }

  async update(accountId: string, id: string, changes: TestRunChanges): Promise<void> {
    const time = (at: string | null): SqlParameter => (at === null ? null : parseTimestamp(at));
    const json = (value: object | null): SqlParameter => (value === null ? null : JSON.stringify(value));
    const { heartbeatAt, finishedAt, isStopped, expectedItems, skipped, totals } = changes;
    const assignments: Condition[] = [
      ...(heartbeatAt === undefined ? [] : [['heartbeat_us = ?', time(heartbeatAt)] satisfies Condition]),
      ...(finishedAt === undefined ? [] : [['finished_us = ?', time(finishedAt)] satisfies Condition]),
      ...(isStopped === undefined ? [] : [['is_stopped = ?', isStopped] satisfies Condition]),
      ...(expectedItems === undefined ? [] : [['expected_items = ?', expectedItems] satisfies Condition]),
      ...(skipped === undefined ? [] : [['skipped = ?', json(skipped)] satisfies Condition]),
      ...(totals === undefined ? [] : [['totals = ?', json(totals)] satisfies Condition]),
    ];
    if (assignments.length === 0) return;
    await this.writer.write([
      {
        sql: `UPDATE test_runs SET ${assignments.map(([sql]) => sql).join(', ')} WHERE ${OF_RUN}`,
        rows: [[...assignments.flatMap(([, ...parameters]) => parameters), accountId, id]],
      },
    ]);
  }

  async count(accountId: string, id: string): Promise<TestRunTotals> {
    const [totals] = await this.reader.all<TestRunTotals>(COUNT, [accountId, id]);
    return totals as TestRunTotals;
  }

  async listSelected(
    accountId: string,
    runId: string,
    { left }: { left: boolean },
    { limit, after = -1 }: Range<number>,
  ): Promise<SelectedRef[]> {
    const rows = await this.reader.all<{ item_no: number; trace_id: string; span_id: string | null }>(
      `SELECT item_no, trace_id, span_id FROM test_run_selections s WHERE ${OF_RUN} AND item_no > ?
        ${left ? 'AND NOT EXISTS (SELECT 1 FROM test_run_items i WHERE i.account_id = s.account_id AND i.test_run_id = s.test_run_id AND i.item_no = s.item_no)' : ''}
        ORDER BY item_no LIMIT ?`,
      [accountId, runId, after, limit],
    );
    return rows.map(({ span_id, ...row }) => ({ ...row, ...(span_id !== null && { span_id }) }));
  }

  async putItems(accountId: string, runId: string, items: readonly StoredItem[]): Promise<void> {
    await this.writer.write([
      {
        sql: PUT_ITEM,
        rows: items.map(({ record, summary, flags, isPending }) => {
          const json = JSON.stringify(record);
          return [
            accountId,
            runId,
            record.item_no,
            record.repetition ?? 0,
            record.verdict,
            ...ITEM_FLAGS.map((flag) => flags[flag]),
            isPending,
            record.new_trace_id,
            JSON.stringify(summary),
            json,
            Buffer.byteLength(json),
          ];
        }),
      },
    ]);
  }

  async listItems(
    accountId: string,
    runId: string,
    { verdict, flag, newTraceId, isPending }: ItemFilter,
    { limit, after = [-1, 0] }: Range<ItemKey>,
  ): Promise<ListedItem[]> {
    const conditions: Condition[] = [
      [OF_RUN, accountId, runId],
      ['(item_no, repetition) > (?, ?)', ...after],
      ...(verdict === undefined ? [] : [['verdict = ?', verdict] satisfies Condition]),
      ...(flag === undefined ? [] : [[`${flag} = 1`] satisfies Condition]),
      ...(newTraceId === undefined ? [] : [['new_trace_id = ?', newTraceId] satisfies Condition]),
      ...(isPending ? [['is_pending = 1'] satisfies Condition] : []),
    ];
    const rows = await this.reader.all<{ summary: string; record_bytes: number }>(
      `SELECT summary, record_bytes FROM test_run_items WHERE ${conditions.map(([sql]) => sql).join(' AND ')}
        ORDER BY item_no, repetition LIMIT ?`,
      [...conditions.flatMap(([, ...parameters]) => parameters), limit],
    );
    return rows.map(({ summary, record_bytes }) => ({
      summary: JSON.parse(summary) as TestRunItemSummary,
      payload_bytes: record_bytes,
    }));
  }

  async readItems(
    accountId: string,
    runId: string,
    keys: readonly ItemKey[],
  ): Promise<Pick<StoredItem, 'record' | 'isPending'>[]> {
    const rows = await this.reader.all<{ record: string; is_pending: 0 | 1 }>(
      `SELECT record, is_pending FROM (SELECT value AS key FROM json_each(?))
        CROSS JOIN test_run_items ON ${OF_RUN} AND item_no = key ->> 0 AND repetition = key ->> 1`,
      [JSON.stringify(keys), accountId, runId],
    );
    return rows.map(({ record, is_pending }) => ({
      record: JSON.parse(record) as TestRunItemRecord,
      isPending: is_pending === 1,
    }));
  }
}

function toTestRun(row: TestRunRow): StoredTestRun {
  return {
    id: row.test_run_id,
    traceFunctionKey: row.trace_function_key,
    ...(row.name !== null && { name: row.name }),
    createdAt: formatTimestamp(row.created_us),
    heartbeatAt: formatTimestamp(row.heartbeat_us ?? row.created_us),
    ...(row.finished_us !== null && { finishedAt: formatTimestamp(row.finished_us) }),
    isStopped: row.is_stopped === 1,
    ...(row.selection !== null && { selection: JSON.parse(row.selection) as SelectionRecord }),
    ...(row.expected_items !== null && { expectedItems: row.expected_items }),
    ...(row.skipped !== null && { skipped: JSON.parse(row.skipped) as Record<string, number> }),
    ...(row.totals !== null && { totals: JSON.parse(row.totals) as TestRunTotals }),
  };
}
