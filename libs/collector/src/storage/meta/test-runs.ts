import {
  type BaselineScore,
  ITEM_FLAGS,
  type Judgement,
  parseTimestamp,
  type TestRunItemRecord,
  type TestRunItemSummary,
  type TestRunTotals,
  VERDICTS,
} from '@dacapo/protocol';
import { toSourceKey } from './accepted-outcomes.js';
import type { Range } from '../ports/range.js';
import {
  toTotalName,
  type ItemFilter,
  type ItemKey,
  type ListedItem,
  type NewTestRun,
  type RunSettlement,
  type SelectedRef,
  type StoredItem,
  type StoredTestRun,
  type TestRunChanges,
} from '../ports/test-run.js';
import { rankSeverity } from './item-severity.js';
import { findDeleted } from './deleted-traces.js';
import { eraseItem } from './erased-items.js';
import { itemConditions, itemOrder } from './item-conditions.js';
import { withoutNulls } from './rows.js';
import { DECISIONS, RUN_COLUMNS, type TestRunRow, toTestRun } from './test-run-row.js';
import type { MetaTransaction, SqlParameter } from './transaction.js';

const OF_RUN = 'account_id = :accountId AND test_run_id = :runId';

const COUNTS = [
  ...VERDICTS.map((verdict) => `count(*) FILTER (WHERE verdict = '${verdict}') AS ${verdict}`),
  ...ITEM_FLAGS.map((flag) => `count(*) FILTER (WHERE ${flag} = 1) AS ${toTotalName(flag)}`),
].join(', ');

const COUNT = `SELECT count(*) AS items, ${COUNTS}, (
    SELECT count(*) FROM (SELECT 1 FROM test_run_items WHERE ${OF_RUN}
      GROUP BY item_no HAVING count(DISTINCT verdict) > 1) several
  ) AS flaky
  FROM test_run_items WHERE ${OF_RUN}`;

const REPLACED = [
  'verdict',
  ...ITEM_FLAGS,
  'is_pending',
  'is_erased',
  'severity',
  'new_trace_id',
  'source',
  'summary',
  'record',
  'record_bytes',
];
const REPLACE_ITEM = `ON CONFLICT(account_id, test_run_id, item_no, repetition) DO UPDATE
  SET ${REPLACED.map((column) => `${column} = excluded.${column}`).join(', ')}`;

export class TestRuns {
  static readonly writes = ['create', 'update', 'settle', 'putItems'] as const;

  constructor(private readonly db: MetaTransaction) {}

  /** Creates a run without items. `selected` are its calls, by item number. */
  async create(accountId: string, run: NewTestRun, selected: readonly SelectedRef[]): Promise<void> {
    const createdUs = parseTimestamp(run.createdAt);
    await this.db.insert('test_runs', {
      account_id: accountId,
      test_run_id: run.id,
      trace_function_key: run.traceFunctionKey,
      name: run.name,
      created_us: createdUs,
      heartbeat_us: createdUs,
      selection: run.selection && JSON.stringify(run.selection),
      dataset: run.dataset && JSON.stringify(run.dataset),
      baseline: run.baseline && JSON.stringify(run.baseline),
      repeat: run.repeat,
      rescore_of: run.rescoreOf,
      ignored: run.ignore && JSON.stringify(run.ignore),
    });
    await this.db.insertAll(
      'test_run_selections',
      selected.map((ref) => ({
        account_id: accountId,
        test_run_id: run.id,
        item_no: ref.item_no,
        trace_id: ref.trace_id,
        span_id: ref.span_id,
        dataset_item_id: ref.dataset_item_id,
        accepted_no: ref.accepted_no,
      })),
    );
  }

  async find(accountId: string, runId: string): Promise<StoredTestRun | undefined> {
    const sql = `SELECT ${RUN_COLUMNS}, summary FROM test_runs WHERE ${OF_RUN}`;
    const row = await this.db.get<TestRunRow>(sql, { accountId, runId });
    return row && toTestRun(row);
  }

  /** Newest first. */
  async list(
    accountId: string,
    { traceFunctionKey }: { traceFunctionKey?: string | undefined },
    { limit, after }: Range,
  ): Promise<StoredTestRun[]> {
    const [time, id] = after ?? [];
    const rows = await this.db.all<TestRunRow>(
      `SELECT ${RUN_COLUMNS} FROM test_runs WHERE account_id = :accountId
        ${traceFunctionKey === undefined ? '' : 'AND trace_function_key = :traceFunctionKey'}
        ${after ? 'AND (created_us, test_run_id) < (:us, :id)' : ''}
        ORDER BY created_us DESC, test_run_id DESC LIMIT :limit`,
      { accountId, traceFunctionKey, us: time && parseTimestamp(time), id, limit },
    );
    return rows.map(toTestRun);
  }

  /**
   * Changes a run that is not finished. A finished run never changes, even if both requests arrive at once.
   *
   * @returns whether it was changed
   */
  async update(accountId: string, runId: string, changes: TestRunChanges): Promise<boolean> {
    const { heartbeatAt, finishedAt, isStopped, isResumed, expectedItems, skipped, decision, summary } =
      changes;
    const columns: Record<string, SqlParameter> = {
      heartbeat_us: heartbeatAt && parseTimestamp(heartbeatAt),
      finished_us: finishedAt && parseTimestamp(finishedAt),
      is_stopped: isStopped,
      expected_items: expectedItems,
      skipped: skipped && JSON.stringify(skipped),
      passed: decision && DECISIONS.indexOf(decision),
      summary: summary && JSON.stringify(summary),
    };
    const changed = Object.keys(columns).filter((name) => columns[name] !== undefined);
    const set = changed.map((name) => `${name} = :${name}`);
    if (isResumed) set.push('resumes = resumes + 1');
    if (set.length === 0) return false;
    const sql = `UPDATE test_runs SET ${set.join(', ')} WHERE ${OF_RUN} AND finished_us IS NULL`;
    return (await this.db.run(sql, { accountId, runId, ...columns })) > 0;
  }

  /** Stores the result of a finished run. Only the first call counts. */
  async settle(accountId: string, runId: string, { totals, decision }: RunSettlement): Promise<void> {
    await this.db.run(
      `UPDATE test_runs SET totals = :totals, passed = :passed
        WHERE ${OF_RUN} AND finished_us IS NOT NULL AND totals IS NULL`,
      { accountId, runId, totals: JSON.stringify(totals), passed: decision && DECISIONS.indexOf(decision) },
    );
  }

  /** Counts the items of a run. */
  async count(accountId: string, runId: string): Promise<TestRunTotals> {
    return (await this.db.get<TestRunTotals>(COUNT, { accountId, runId })) as TestRunTotals;
  }

  /** Sorted by `item_no`. @param options `left`: only calls without a stored item */
  async listSelected(
    accountId: string,
    runId: string,
    { left }: { left: boolean },
    { limit, after = -1 }: Range<number>,
  ): Promise<SelectedRef[]> {
    const rows = await this.db.all<{ [K in keyof Required<SelectedRef>]: SelectedRef[K] | null }>(
      `SELECT item_no, trace_id, span_id, dataset_item_id, accepted_no FROM test_run_selections s
        WHERE ${OF_RUN} AND item_no > :after ${left ? `AND NOT EXISTS (${ITEM_OF_SELECTION})` : ''}
        ORDER BY item_no LIMIT :limit`,
      { accountId, runId, after, limit },
    );
    return rows.map((row) => withoutNulls(row) as SelectedRef);
  }

  /**
   * Stores items and replaces those with the same identity. A finished run accepts none.
   *
   * @param options `heardOfAt`: also counts as a heartbeat of the run
   * @returns whether they were stored
   */
  async putItems(
    accountId: string,
    runId: string,
    items: readonly StoredItem[],
    options?: { heardOfAt: string },
  ): Promise<boolean> {
    const run = { accountId, runId, heardUs: options && parseTimestamp(options.heardOfAt) };
    const isOpen = await this.db.get(`SELECT 1 FROM test_runs WHERE ${OF_RUN} AND finished_us IS NULL`, run);
    if (isOpen === undefined) return false;
    if (options)
      await this.db.run(`UPDATE test_runs SET heartbeat_us = :heardUs, is_stopped = 0 WHERE ${OF_RUN}`, run);
    await this.db.insertAll(
      'test_run_items',
      items.map((item) => itemRow(accountId, runId, item)),
      REPLACE_ITEM,
    );
    await this.eraseLate(accountId, runId, items);
    return true;
  }

  /** Sorted by `item_no`, then by repetition. */
  async listItems(
    accountId: string,
    runId: string,
    filter: ItemFilter,
    { limit, after }: Range<ItemKey>,
  ): Promise<ListedItem[]> {
    const { where, parameters } = itemConditions(this.db.dialect, accountId, runId, filter, after);
    const rows = await this.db.all<JudgedRow & { summary: string; record_bytes: number }>(
      `SELECT summary, record_bytes, judgement, is_ignored FROM test_run_items WHERE ${where} ORDER BY ${itemOrder(filter)} LIMIT :limit`,
      { ...parameters, limit },
    );
    return rows.map((row) => ({
      summary: { ...(JSON.parse(row.summary) as TestRunItemSummary), ...toJudged(row) },
      payload_bytes: row.record_bytes,
    }));
  }

  /** The first repetition of items that replayed these sources (`toSourceKey`), by source. */
  async readItemsBySource(
    accountId: string,
    runId: string,
    sources: readonly string[],
  ): Promise<Map<string, TestRunItemRecord>> {
    const these = `SELECT value FROM ${this.db.dialect.texts(':sources')}`;
    const rows = await this.db.all<{ source: string; record: string }>(
      `SELECT coalesce('item/' || s.dataset_item_id, i.source) AS source, i.record
        FROM test_run_items i LEFT JOIN test_run_selections s
          ON s.account_id = i.account_id AND s.test_run_id = i.test_run_id AND s.item_no = i.item_no
        WHERE i.account_id = :accountId AND i.test_run_id = :runId AND i.is_erased = 0 AND i.item_no IN (
          SELECT item_no FROM test_run_items WHERE ${OF_RUN} AND source IN (${these})
          UNION SELECT item_no FROM test_run_selections WHERE ${OF_RUN}
            AND dataset_item_id IN (SELECT substr(value, 6) FROM (${these}) w))
        ORDER BY i.item_no DESC, i.repetition DESC`,
      { accountId, runId, sources: JSON.stringify(sources) },
    );
    return new Map(rows.map(({ source, record }) => [source, JSON.parse(record) as TestRunItemRecord]));
  }

  /** The baseline's scores of items with this `baseline_hash` in all runs, the item that was stored last first. */
  async listBaselineScores(accountId: string, hash: string): Promise<BaselineScore[]> {
    const { json, text } = this.db.dialect;
    const rows = await this.db.all<{ scores: string | null }>(
      `SELECT ${json('record', 'original_scores')} AS scores FROM test_run_items
        WHERE account_id = :accountId AND ${text('summary', 'baseline_hash')} = :hash AND is_erased = 0
        ORDER BY stored_no DESC`,
      { accountId, hash },
    );
    return rows.flatMap(({ scores }) => JSON.parse(scores ?? '[]') as BaselineScore[]);
  }

  /** Items in any order. Missing items are skipped. */
  async readItems(
    accountId: string,
    runId: string,
    keys: readonly ItemKey[],
  ): Promise<Pick<StoredItem, 'record' | 'isPending'>[]> {
    const rows = await this.db.all<JudgedRow & { record: string; is_pending: 0 | 1 }>(
      `SELECT record, is_pending, judgement, is_ignored FROM ${this.db.dialect.pairs(':keys', ['w_item', 'w_repetition'])} w
        ${this.db.dialect.join} test_run_items ON ${OF_RUN} AND item_no = w_item AND repetition = w_repetition`,
      { accountId, runId, keys: JSON.stringify(keys) },
    );
    return rows.map((row) => ({
      record: { ...(JSON.parse(row.record) as TestRunItemRecord), ...toJudged(row) },
      isPending: row.is_pending === 1,
    }));
  }

  /** Erases items that were reported after their trace was deleted. */
  private async eraseLate(accountId: string, testRunId: string, items: readonly StoredItem[]): Promise<void> {
    const toTraceIds = ({ record }: StoredItem) => [record.new_trace_id, record.source_trace_id];
    const deleted = await findDeleted(this.db, accountId, items.flatMap(toTraceIds), { withCopies: true });
    const late = items.filter((item) => toTraceIds(item).some((id) => id !== undefined && deleted.has(id)));
    for (const { record } of late) {
      await eraseItem(this.db, accountId, { testRunId, item: [record.item_no, record.repetition ?? 0] });
    }
  }
}

interface JudgedRow {
  judgement: Judgement | null;
  is_ignored: 0 | 1;
}

function toJudged({ judgement, is_ignored }: JudgedRow): Pick<TestRunItemSummary, 'judgement' | 'ignored'> {
  return { ...(judgement !== null && { judgement }), ...(is_ignored === 1 && { ignored: true }) };
}

const ITEM_OF_SELECTION = `SELECT 1 FROM test_run_items i
  WHERE i.account_id = s.account_id AND i.test_run_id = s.test_run_id AND i.item_no = s.item_no`;

function itemRow(
  accountId: string,
  runId: string,
  { record, summary, flags, isPending, besideBytes = 0 }: StoredItem,
): Record<string, SqlParameter> {
  const json = JSON.stringify(record);
  const { source_trace_id: trace_id, source_span_id: span_id } = record;
  return {
    account_id: accountId,
    test_run_id: runId,
    item_no: record.item_no,
    repetition: record.repetition ?? 0,
    verdict: record.verdict,
    ...Object.fromEntries(ITEM_FLAGS.map((flag) => [flag, flags[flag]])),
    is_pending: isPending,
    is_erased: false,
    severity: rankSeverity({ verdict: record.verdict, flags, summary }),
    new_trace_id: record.new_trace_id,
    source: trace_id && span_id && toSourceKey({ trace_id, span_id }),
    summary: JSON.stringify(summary),
    record: json,
    record_bytes: Buffer.byteLength(json) + besideBytes,
  };
}
