import {
  type BaselineScore,
  ITEM_FLAGS,
  parseTimestamp,
  type TestRunItemRecord,
  type TestRunItemSummary,
  type TestRunTotals,
  VERDICTS,
} from '@dacapo/protocol';
import { sourceOf } from '../../../accepted-outcome-store.js';
import type { Range } from '../../../span-store.js';
import {
  countOf,
  type ItemFilter,
  type ItemKey,
  type ListedItem,
  type NewTestRun,
  type RunSettlement,
  type SelectedRef,
  type StoredItem,
  type StoredTestRun,
  type TestRunChanges,
  type TestRunStore,
} from '../../../test-run-store.js';
import type { Connection } from '../connection.js';
import type { ReaderPool } from '../reader-pool.js';
import { itemConditions, itemOrder } from './item-conditions.js';
import type { SqlParameter } from '../sql-value.js';
import { DECISIONS, RUN_COLUMNS, type TestRunRow, toTestRun } from './test-run-row.js';

const OF_RUN = 'account_id = ? AND test_run_id = ?';

const COUNTS = [
  ...VERDICTS.map((verdict) => `coalesce(sum(verdict = '${verdict}'), 0) AS ${verdict}`),
  ...ITEM_FLAGS.map((flag) => `coalesce(sum(${flag}), 0) AS ${countOf(flag)}`),
].join(', ');

const COUNT = `SELECT count(*) AS items, ${COUNTS}, (
    SELECT count(*) FROM (SELECT 1 FROM test_run_items WHERE account_id = ?1 AND test_run_id = ?2
      GROUP BY item_no HAVING count(DISTINCT verdict) > 1)
  ) AS flaky
  FROM test_run_items WHERE account_id = ?1 AND test_run_id = ?2`;

const ITEM_COLUMNS = `account_id, test_run_id, item_no, repetition, verdict, ${ITEM_FLAGS.join(', ')}, is_pending,
  new_trace_id, source, summary, record, record_bytes`;

const PUT_ITEM = `INSERT INTO test_run_items(${ITEM_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT(account_id, test_run_id, item_no, repetition) DO UPDATE
  SET verdict = excluded.verdict, ${ITEM_FLAGS.map((flag) => `${flag} = excluded.${flag}`).join(', ')},
    is_pending = excluded.is_pending, is_erased = 0, new_trace_id = excluded.new_trace_id, source = excluded.source, summary = excluded.summary,
    record = excluded.record, record_bytes = excluded.record_bytes`;

/** Keeps the heartbeat when the time is `NULL`: a condition on the run that a write can depend on. */
const HEARD_OF = `UPDATE test_runs SET heartbeat_us = coalesce(?1, heartbeat_us), is_stopped = iif(?1 IS NULL, is_stopped, 0)
  WHERE account_id = ?2 AND test_run_id = ?3 AND finished_us IS NULL`;

export class SqliteTestRunStore implements TestRunStore {
  constructor(
    private readonly writer: Connection,
    private readonly reader: ReaderPool,
  ) {}

  async create(accountId: string, run: NewTestRun, selected: readonly SelectedRef[]): Promise<void> {
    const createdUs = parseTimestamp(run.createdAt);
    await this.writer.write([
      {
        sql: `INSERT INTO test_runs(account_id, test_run_id, trace_function_key, name, created_us, heartbeat_us, selection,
            dataset, baseline, repeat, rescore_of) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        rows: [
          [
            ...[accountId, run.id, run.traceFunctionKey, run.name],
            ...[createdUs, createdUs],
            run.selection && JSON.stringify(run.selection),
            run.dataset && JSON.stringify(run.dataset),
            run.baseline && JSON.stringify(run.baseline),
            run.repeat,
            run.rescoreOf,
          ],
        ],
      },
      {
        sql: `INSERT INTO test_run_selections(account_id, test_run_id, item_no, trace_id, span_id, dataset_item_id,
            accepted_no)
          SELECT ?, ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?)`,
        rows: [
          [
            accountId,
            run.id,
            JSON.stringify(
              selected.map((ref) => [
                ...[ref.item_no, ref.trace_id, ref.span_id],
                ...[ref.dataset_item_id, ref.accepted_no],
              ]),
            ),
          ],
        ],
      },
    ]);
  }

  async find(accountId: string, id: string): Promise<StoredTestRun | undefined> {
    const [row] = await this.reader
      .of(accountId)
      .all<TestRunRow>(`SELECT ${RUN_COLUMNS}, summary FROM test_runs WHERE ${OF_RUN}`, [accountId, id]);
    return row && toTestRun(row);
  }

  async list(
    accountId: string,
    filter: { traceFunctionKey?: string },
    { limit, after }: Range,
  ): Promise<StoredTestRun[]> {
    const key: SqlParameter[] = filter.traceFunctionKey === undefined ? [] : [filter.traceFunctionKey];
    const rows = await this.reader.of(accountId).all<TestRunRow>(
      `SELECT ${RUN_COLUMNS} FROM test_runs WHERE account_id = ? ${key.length === 0 ? '' : 'AND trace_function_key = ?'}
        ${after ? 'AND (created_us, test_run_id) < (?, ?)' : ''}
        ORDER BY created_us DESC, test_run_id DESC LIMIT ?`,
      [accountId, ...key, ...(after ? [parseTimestamp(after[0]), after[1]] : []), limit],
    );
    return rows.map(toTestRun);
  }

  async update(accountId: string, id: string, changes: TestRunChanges): Promise<boolean> {
    const { heartbeatAt, finishedAt, isStopped, expectedItems, skipped, decision, summary } = changes;
    const columns: [name: string, value: SqlParameter][] = [
      ['heartbeat_us', heartbeatAt && parseTimestamp(heartbeatAt)],
      ['finished_us', finishedAt && parseTimestamp(finishedAt)],
      ['is_stopped', isStopped],
      ['expected_items', expectedItems],
      ['skipped', skipped && JSON.stringify(skipped)],
      ['passed', decision && DECISIONS.indexOf(decision)],
      ['summary', summary && JSON.stringify(summary)],
    ];
    const changed = columns.filter(([, value]) => value !== undefined);
    if (changed.length === 0) return false;
    const [outcome] = await this.writer.write([
      {
        sql: `UPDATE test_runs SET ${changed.map(([name]) => `${name} = ?`).join(', ')}
          WHERE ${OF_RUN} AND finished_us IS NULL`,
        rows: [[...changed.map(([, value]) => value), accountId, id]],
      },
    ]);
    return outcome !== undefined && outcome.changes > 0;
  }

  async settle(accountId: string, id: string, { totals, decision }: RunSettlement): Promise<void> {
    await this.writer.write([
      {
        sql: `UPDATE test_runs SET totals = ?, passed = ?
          WHERE ${OF_RUN} AND finished_us IS NOT NULL AND totals IS NULL`,
        rows: [[JSON.stringify(totals), decision && DECISIONS.indexOf(decision), accountId, id]],
      },
    ]);
  }

  async count(accountId: string, id: string): Promise<TestRunTotals> {
    const [totals] = await this.reader.of(accountId).all<TestRunTotals>(COUNT, [accountId, id]);
    return totals as TestRunTotals;
  }

  async listSelected(
    accountId: string,
    runId: string,
    { left }: { left: boolean },
    { limit, after = -1 }: Range<number>,
  ): Promise<SelectedRef[]> {
    const rows = await this.reader
      .of(accountId)
      .all<Record<string, string | number | null> & { item_no: number }>(
        `SELECT item_no, trace_id, span_id, dataset_item_id, accepted_no FROM test_run_selections s WHERE ${OF_RUN} AND item_no > ?
        ${left ? 'AND NOT EXISTS (SELECT 1 FROM test_run_items i WHERE i.account_id = s.account_id AND i.test_run_id = s.test_run_id AND i.item_no = s.item_no)' : ''}
        ORDER BY item_no LIMIT ?`,
        [accountId, runId, after, limit],
      );
    return rows.map(({ item_no, ...row }) => ({
      item_no,
      ...Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)),
    }));
  }

  async putItems(
    accountId: string,
    runId: string,
    items: readonly StoredItem[],
    options?: { heardOfAt: string },
  ): Promise<boolean> {
    const outcomes = await this.writer.write([
      {
        sql: HEARD_OF,
        mustChange: true,
        rows: [[options && parseTimestamp(options.heardOfAt), accountId, runId]],
      },
      {
        sql: PUT_ITEM,
        rows: items.map(({ record, summary, flags, isPending, besideBytes = 0 }) => {
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
            sourceOf({ ...sourceRefOf(record) }),
            JSON.stringify(summary),
            json,
            Buffer.byteLength(json) + besideBytes,
          ];
        }),
      },
    ]);
    return outcomes[0] !== undefined && outcomes[0].changes > 0;
  }

  async listItems(
    accountId: string,
    runId: string,
    filter: ItemFilter,
    { limit, after }: Range<ItemKey>,
  ): Promise<ListedItem[]> {
    const conditions = itemConditions(accountId, runId, filter, after);
    const rows = await this.reader.of(accountId).all<{ summary: string; record_bytes: number }>(
      `SELECT summary, record_bytes FROM test_run_items WHERE ${conditions.map(([sql]) => sql).join(' AND ')}
        ORDER BY ${itemOrder(filter)} LIMIT ?`,
      [...conditions.flatMap(([, ...parameters]) => parameters), limit],
    );
    return rows.map(({ summary, record_bytes }) => ({
      summary: JSON.parse(summary) as TestRunItemSummary,
      payload_bytes: record_bytes,
    }));
  }

  async readItemsBySource(
    accountId: string,
    runId: string,
    sources: readonly string[],
  ): Promise<Map<string, TestRunItemRecord>> {
    const rows = await this.reader.of(accountId).all<{ source: string; record: string }>(
      `SELECT coalesce('item/' || s.dataset_item_id, i.source) AS source, i.record
        FROM test_run_items i LEFT JOIN test_run_selections s
          ON s.account_id = i.account_id AND s.test_run_id = i.test_run_id AND s.item_no = i.item_no
        WHERE i.account_id = ?1 AND i.test_run_id = ?2 AND i.is_erased = 0 AND i.item_no IN (
          SELECT item_no FROM test_run_items WHERE account_id = ?1 AND test_run_id = ?2
            AND source IN (SELECT value FROM json_each(?3))
          UNION SELECT item_no FROM test_run_selections WHERE account_id = ?1 AND test_run_id = ?2
            AND dataset_item_id IN (SELECT substr(value, 6) FROM json_each(?3)))
        ORDER BY i.item_no DESC, i.repetition DESC`,
      [accountId, runId, JSON.stringify(sources)],
    );
    return new Map(rows.map(({ source, record }) => [source, JSON.parse(record) as TestRunItemRecord]));
  }

  async listBaselineScores(accountId: string, hash: string): Promise<BaselineScore[]> {
    const rows = await this.reader.of(accountId).all<{ scores: string }>(
      `SELECT coalesce(record -> '$.original_scores', '[]') AS scores FROM test_run_items
        WHERE account_id = ? AND summary ->> '$.baseline_hash' = ? AND is_erased = 0 ORDER BY rowid DESC`,
      [accountId, hash],
    );
    return rows.flatMap(({ scores }) => JSON.parse(scores) as BaselineScore[]);
  }

  async readItems(
    accountId: string,
    runId: string,
    keys: readonly ItemKey[],
  ): Promise<Pick<StoredItem, 'record' | 'isPending'>[]> {
    const rows = await this.reader.of(accountId).all<{ record: string; is_pending: 0 | 1 }>(
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

function sourceRefOf({ source_trace_id, source_span_id }: TestRunItemRecord): Partial<SelectedRef> {
  return source_trace_id === undefined || source_span_id === undefined
    ? {}
    : { trace_id: source_trace_id, span_id: source_span_id };
}
