import { type DeletionCounts, parseTimestamp } from '@dacapo/protocol';
import type { CopyStore, ErasedCopies, OldRuns, RunItemRef, RunItemsOf } from '../../../copy-store.js';
import type { TraceGroup } from '../../../trace-deletion.js';
import type { Connection } from '../connection.js';
import type { ReaderPool } from '../reader-pool.js';
import { countStep, readDeletionCounts } from '../deletion-counts.js';
import { rememberStep } from '../spans/deletion-steps.js';
import type { SqlParameter } from '../sql-value.js';
import { ERASE_ITEM } from './erased-item.js';

/** In each: `?1` is the account, `?2` the traces as a JSON array. */
const ITEMS_MADE = `json_each(?2) w CROSS JOIN test_run_items i ON i.account_id = ?1 AND i.new_trace_id = w.value`;

const COPIES_OF_CALLS = `json_each(?2) w CROSS JOIN dataset_items d ON d.account_id = ?1 AND d.trace_id = w.value`;
const COPIES_OF_ITEMS = `${ITEMS_MADE} CROSS JOIN dataset_items d ON d.account_id = ?1
  AND d.item ->> '$.source.test_run_id' = i.test_run_id AND d.item ->> '$.source.item_no' = i.item_no`;

const TAKE_ACCEPTED = `DELETE FROM accepted_outcomes WHERE accepted_no IN (
  SELECT a.accepted_no FROM json_each(?2) w CROSS JOIN accepted_outcomes a ON a.account_id = ?1
    AND a.source >= 'call/' || w.value || '/' AND a.source < 'call/' || w.value || '0'
  UNION SELECT a.accepted_no FROM ${COPIES_OF_CALLS}
    CROSS JOIN accepted_outcomes a ON a.account_id = ?1 AND a.source = 'item/' || d.item_id
  UNION SELECT a.accepted_no FROM ${ITEMS_MADE} CROSS JOIN accepted_outcomes a ON a.account_id = ?1
    AND a.test_run_id = i.test_run_id AND a.item_no = i.item_no AND a.repetition = i.repetition)`;

const ERASE_COPIES = `UPDATE dataset_items SET item = json_object('id', item_id, 'input', json('[]'), 'erased', json('true')),
    item_bytes = 100, hash = zeroblob(32), source = NULL, trace_id = NULL, span_id = NULL
  WHERE item_no IN (SELECT d.item_no FROM ${COPIES_OF_CALLS} UNION SELECT d.item_no FROM ${COPIES_OF_ITEMS} LIMIT ?3)`;

const PLAYED = `SELECT i.rowid AS no FROM json_each(?2) w CROSS JOIN test_run_items i ON i.account_id = ?1
    AND i.source >= 'call/' || w.value || '/' AND i.source < 'call/' || w.value || '0'`;

const SELECTED = `json_each(?2) w CROSS JOIN test_run_selections s ON s.account_id = ?1 AND s.trace_id = w.value`;

/** Whether an item plays one of a dataset. */
const OF_DATASET = `EXISTS (SELECT 1 FROM test_run_selections s WHERE s.account_id = i.account_id
  AND s.test_run_id = i.test_run_id AND s.item_no = i.item_no AND s.dataset_item_id IS NOT NULL)`;

const ITEMS_SELECTED = `SELECT i.rowid FROM ${SELECTED} CROSS JOIN test_run_items i ON i.account_id = s.account_id
  AND i.test_run_id = s.test_run_id AND i.item_no = s.item_no`;

/** By what a run selected its calls, which may name a person. */
const FORGET_CONDITIONS = `selection = json_remove(selection, '$.request.session_id', '$.request.user_id', '$.request.tags',
  '$.request.name', '$.request.metadata', '$.request.text')`;

const listItems = (numbers: string): string => `SELECT test_run_id, item_no, repetition FROM test_run_items
  WHERE rowid IN (${numbers}) AND is_erased = 0 LIMIT ?`;

export class SqliteCopyStore implements CopyStore {
  constructor(
    private readonly writer: Pick<Connection, 'write'>,
    private readonly reader: ReaderPool,
  ) {}

  async eraseCopies(
    accountId: string,
    traceIds: readonly string[],
    { forgetAt, most, deletionId }: { forgetAt: string; most: number; deletionId?: string },
  ): Promise<ErasedCopies> {
    const these = [accountId, JSON.stringify(traceIds)];
    const [, accepted, , erased] = await this.writer.write([
      rememberStep(accountId, traceIds, { forgetAt, withCopies: true }),
      { sql: TAKE_ACCEPTED, rows: [these] },
      countStep(accountId, deletionId, 'accepted_outcomes'),
      { sql: ERASE_COPIES, rows: [[...these, most]] },
      countStep(accountId, deletionId, 'dataset_items'),
    ]);
    const datasetItems = erased?.changes ?? 0;
    return { datasetItems, acceptedOutcomes: accepted?.changes ?? 0, isDone: datasetItems < most };
  }

  async listReplays(accountId: string, traceIds: readonly string[]): Promise<string[]> {
    const rows = await this.reader.of(accountId).all<{ new_trace_id: string }>(
      `SELECT DISTINCT new_trace_id FROM test_run_items
        WHERE rowid IN (${PLAYED} UNION ${ITEMS_SELECTED}) AND new_trace_id IS NOT NULL`,
      [accountId, JSON.stringify(traceIds)],
    );
    return rows.map(({ new_trace_id }) => new_trace_id);
  }

  async listRunItems(accountId: string, of: RunItemsOf, most: number): Promise<RunItemRef[]> {
    const [sql, ...parameters] = 'runs' in of ? ofRuns(accountId, of.runs) : ofTraces(accountId, of);
    const rows = await this.reader
      .of(accountId)
      .all<{ test_run_id: string; item_no: number; repetition: number }>(sql, [...parameters, most]);
    return rows.map(({ test_run_id, item_no, repetition }) => ({
      testRunId: test_run_id,
      item: [item_no, repetition],
    }));
  }

  async eraseRunItems(accountId: string, items: readonly RunItemRef[], deletionId?: string): Promise<number> {
    const these = JSON.stringify(items.map(({ testRunId, item }) => [testRunId, ...item]));
    const [outcome] = await this.writer.write([
      {
        sql: `UPDATE test_run_items SET ${ERASE_ITEM} WHERE account_id = ? AND is_erased = 0
          AND (test_run_id, item_no, repetition) IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?))`,
        rows: [[accountId, these]],
      },
      countStep(accountId, deletionId, 'run_items'),
    ]);
    return outcome?.changes ?? 0;
  }

  counts(accountId: string, deletionId: string): Promise<Partial<DeletionCounts>> {
    return readDeletionCounts(this.reader, accountId, deletionId);
  }

  async eraseSelected(
    accountId: string,
    traceIds: readonly string[],
    { withDatasets, most }: { withDatasets: boolean; most: number },
  ): Promise<boolean> {
    const [, outcome] = await this.writer.write([
      {
        sql: `UPDATE test_runs SET ${FORGET_CONDITIONS} WHERE account_id = ?1 AND selection IS NOT NULL
          AND test_run_id IN (SELECT s.test_run_id FROM ${SELECTED})`,
        rows: [[accountId, JSON.stringify(traceIds)]],
      },
      {
        sql: `UPDATE test_run_selections SET trace_id = NULL, span_id = NULL, accepted_no = NULL
          WHERE (account_id, test_run_id, item_no) IN (
            SELECT s.account_id, s.test_run_id, s.item_no FROM ${SELECTED}
            ${withDatasets ? '' : 'WHERE s.dataset_item_id IS NULL'} LIMIT ?3)`,
        rows: [[accountId, JSON.stringify(traceIds), most]],
      },
    ]);
    return (outcome?.changes ?? 0) < most;
  }

  async closeRuns(accountId: string, runs: OldRuns): Promise<void> {
    const [condition, ...parameters] = oldRuns(accountId, runs);
    await this.writer.write([
      {
        sql: `UPDATE test_runs SET is_erased = 1, ${FORGET_CONDITIONS} WHERE ${condition}`,
        rows: [parameters],
      },
    ]);
  }

  async eraseGroup(accountId: string, { by, id }: TraceGroup): Promise<void> {
    await this.writer.write([
      {
        sql: `UPDATE test_runs SET selection = json_remove(selection, '$.request.${by}')
          WHERE account_id = ? AND selection ->> '$.request.${by}' = ?`,
        rows: [[accountId, id]],
      },
    ]);
  }
}

function ofTraces(
  accountId: string,
  { traceIds, withDatasets }: Extract<RunItemsOf, { traceIds: unknown }>,
): [sql: string, ...parameters: SqlParameter[]] {
  const played = withDatasets ? `${PLAYED} UNION ${ITEMS_SELECTED}` : `${PLAYED} WHERE NOT ${OF_DATASET}`;
  return [
    listItems(`SELECT i.rowid FROM ${ITEMS_MADE} UNION ${played}`),
    accountId,
    JSON.stringify(traceIds),
  ];
}

function ofRuns(accountId: string, runs: OldRuns): [sql: string, ...parameters: SqlParameter[]] {
  const [condition, ...parameters] = oldRuns(accountId, runs);
  return [
    `SELECT i.test_run_id, i.item_no, i.repetition FROM test_runs CROSS JOIN test_run_items i
      ON i.account_id = test_runs.account_id AND i.test_run_id = test_runs.test_run_id
      WHERE ${condition} AND i.is_erased = 0 LIMIT ?`,
    ...parameters,
  ];
}

/** Those that are not closed. */
function oldRuns(
  accountId: string,
  { before, traceFunctionKey: key, exceptKeys = [] }: OldRuns,
): [sql: string, ...parameters: SqlParameter[]] {
  return [
    `test_runs.account_id = ? AND test_runs.is_erased = 0 AND test_runs.created_us < ?
      AND test_runs.trace_function_key NOT IN (SELECT value FROM json_each(?))
      ${key === undefined ? '' : 'AND test_runs.trace_function_key = ?'}`,
    ...[accountId, parseTimestamp(before), JSON.stringify(exceptKeys)],
    ...(key === undefined ? [] : [key]),
  ];
}
