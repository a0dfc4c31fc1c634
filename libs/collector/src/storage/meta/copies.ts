import { type DeletionCounts, parseTimestamp } from '@dacapo/protocol';
import type { ErasedCopies, OldRuns, RunItemRef, RunItemsOf } from '../ports/copies.js';
import type { TraceGroup } from '../ports/trace-deletion.js';
import { countDeleted, readDeletionCounts } from './deletion-counts.js';
import type { Dialect } from './dialect.js';
import { forgetDeleted, rememberDeleted } from './deleted-traces.js';
import { eraseItem } from './erased-items.js';
import { deleteItemScores } from './scores.js';
import type { MetaTransaction, Parameters } from './transaction.js';

/** Members of a run's request that may name a person. */
const NAMING = ['session_id', 'user_id', 'tags', 'name', 'metadata', 'text'].map((name) => `request.${name}`);

/** Whether an item replays a dataset item. */
const OF_DATASET = `EXISTS (SELECT 1 FROM test_run_selections s WHERE s.account_id = i.account_id
  AND s.test_run_id = i.test_run_id AND s.item_no = i.item_no AND s.dataset_item_id IS NOT NULL)`;

const ITEM = 'i.test_run_id, i.item_no, i.repetition, i.new_trace_id, i.is_erased';

interface ItemRow {
  test_run_id: string;
  item_no: number;
  repetition: number;
}

/** Parts of statements. `:traceIds` is a JSON array. */
function partsIn({ texts, join, text, number, without }: Dialect) {
  const traces = `${texts(':traceIds')} w`;
  const selected = `${traces} ${join} test_run_selections s ON s.account_id = :accountId AND s.trace_id = w.value`;
  const made = `${traces} ${join} test_run_items i ON i.account_id = :accountId AND i.new_trace_id = w.value`;
  const copied = `${traces} ${join} dataset_items d ON d.account_id = :accountId AND d.trace_id = w.value`;
  return {
    join,
    selected,
    /** Items whose replays made the traces. */
    made: `SELECT ${ITEM} FROM ${made}`,
    /** Items that replayed calls of the traces. */
    replayed: `SELECT ${ITEM} FROM ${traces} ${join} test_run_items i ON i.account_id = :accountId
      AND i.source >= 'call/' || w.value || '/' AND i.source < 'call/' || w.value || '0'`,
    /** Items of runs that selected the traces. */
    selectedItems: `SELECT ${ITEM} FROM ${selected} ${join} test_run_items i ON i.account_id = s.account_id
      AND i.test_run_id = s.test_run_id AND i.item_no = s.item_no`,
    /** Dataset items that were copied from the traces, or from items that made them. */
    copies: `SELECT d.item_no, d.item_id FROM ${copied}
      UNION SELECT d.item_no, d.item_id FROM ${made} ${join} dataset_items d ON d.account_id = :accountId
        AND ${text('d.item', 'source.test_run_id')} = i.test_run_id
        AND ${number('d.item', 'source.item_no')} = i.item_no`,
    /** Outcomes accepted for the traces, for dataset items copied from them, or for items that made them. */
    accepted: `SELECT a.accepted_no FROM ${traces} ${join} accepted_outcomes a ON a.account_id = :accountId
        AND a.source >= 'call/' || w.value || '/' AND a.source < 'call/' || w.value || '0'
      UNION SELECT a.accepted_no FROM ${copied}
        ${join} accepted_outcomes a ON a.account_id = :accountId AND a.source = 'item/' || d.item_id
      UNION SELECT a.accepted_no FROM ${made} ${join} accepted_outcomes a ON a.account_id = :accountId
        AND a.test_run_id = i.test_run_id AND a.item_no = i.item_no AND a.repetition = i.repetition`,
    withoutNaming: without('selection', NAMING),
  };
}

/**
 * The copies of traces in `MetaStore`. An erased item keeps its place without content, so that its version or run stays complete.
 * Every method is limited to one account. Those that return whether they are done do a part of the work: repeat them.
 */
export class Copies {
  static readonly writes = [
    'eraseCopies',
    'eraseRunItems',
    'eraseSelected',
    'closeRuns',
    'eraseGroup',
    'forget',
  ] as const;

  private readonly sql: ReturnType<typeof partsIn>;

  constructor(private readonly db: MetaTransaction) {
    this.sql = partsIn(db.dialect);
  }

  /**
   * Erases dataset items that were copied from these traces, or from items of runs that made them, and deletes the outcomes accepted
   * for them. From now on until `forgetAt`, new copies of the traces are skipped or erased.
   */
  async eraseCopies(
    accountId: string,
    traceIds: readonly string[],
    { forgetAt, most, deletionId }: { forgetAt: string; most: number; deletionId?: string },
  ): Promise<ErasedCopies> {
    await rememberDeleted(this.db, accountId, traceIds, { forgetAt, withCopies: true });
    const these = { accountId, traceIds: JSON.stringify(traceIds), most };
    const acceptedOutcomes = await this.db.run(
      `DELETE FROM accepted_outcomes WHERE accepted_no IN (${this.sql.accepted})`,
      these,
    );
    const datasetItems = await this.eraseDatasetItems(these);
    await countDeleted(this.db, accountId, deletionId, {
      accepted_outcomes: acceptedOutcomes,
      dataset_items: datasetItems,
    });
    return { datasetItems, acceptedOutcomes, isDone: datasetItems < most };
  }

  /** The traces that replays of these traces made, in any order. */
  async listReplays(accountId: string, traceIds: readonly string[]): Promise<string[]> {
    const rows = await this.db.all<{ new_trace_id: string }>(
      `SELECT DISTINCT new_trace_id FROM (${this.sql.replayed} UNION ${this.sql.selectedItems}) played
        WHERE new_trace_id IS NOT NULL`,
      { accountId, traceIds: JSON.stringify(traceIds) },
    );
    return rows.map(({ new_trace_id }) => new_trace_id);
  }

  /** Items that are not erased, in any order. */
  async listRunItems(accountId: string, of: RunItemsOf, most: number): Promise<RunItemRef[]> {
    const rows =
      'runs' in of
        ? await this.listByRuns(accountId, of.runs, most)
        : await this.listByTraces(accountId, of, most);
    return rows.map((row) => ({ testRunId: row.test_run_id, item: [row.item_no, row.repetition] }));
  }

  /** Keeps number, verdict, flags and durations, and deletes the scores of the items. @returns the number of items */
  async eraseRunItems(accountId: string, items: readonly RunItemRef[], deletionId?: string): Promise<number> {
    let erased = 0;
    let scores = 0;
    for (const item of items) {
      scores += await deleteItemScores(this.db, accountId, item);
      if (await eraseItem(this.db, accountId, item)) erased += 1;
    }
    await countDeleted(this.db, accountId, deletionId, { run_items: erased, scores });
    return erased;
  }

  /** The exact counts of a deletion, scores included, even if a process died in the middle of it. */
  counts(accountId: string, deletionId: string): Promise<Partial<DeletionCounts>> {
    return readDeletionCounts(this.db, accountId, deletionId);
  }

  /**
   * Removes these traces from the selections of test runs, and the session, name, metadata and text that selected them.
   * `withDatasets` is that of {@link RunItemsOf}.
   *
   * @returns whether it is done
   */
  async eraseSelected(
    accountId: string,
    traceIds: readonly string[],
    { withDatasets, most }: { withDatasets: boolean; most: number },
  ): Promise<boolean> {
    const these = { accountId, traceIds: JSON.stringify(traceIds), most };
    await this.db.run(
      `UPDATE test_runs SET selection = ${this.sql.withoutNaming} WHERE account_id = :accountId
        AND selection IS NOT NULL AND test_run_id IN (SELECT s.test_run_id FROM ${this.sql.selected})`,
      these,
    );
    const forgotten = await this.db.run(
      `UPDATE test_run_selections SET trace_id = NULL, span_id = NULL, accepted_no = NULL
        WHERE account_id = :accountId AND (test_run_id, item_no) IN (SELECT s.test_run_id, s.item_no
          FROM ${this.sql.selected} ${withDatasets ? '' : 'WHERE s.dataset_item_id IS NULL'} LIMIT :most)`,
      these,
    );
    return forgotten < most;
  }

  /** Marks runs without items to erase as closed, so that they are not read again, and removes what selected their calls. */
  async closeRuns(accountId: string, runs: OldRuns): Promise<void> {
    const { where, parameters } = this.oldRuns(accountId, runs);
    await this.db.run(
      `DELETE FROM share_links WHERE account_id = :accountId
        AND test_run_id IN (SELECT r.test_run_id FROM test_runs r WHERE ${where})`,
      parameters,
    );
    await this.db.run(
      `UPDATE test_runs AS r SET is_erased = 1, selection = ${this.sql.withoutNaming} WHERE ${where}`,
      parameters,
    );
  }

  /** Removes this session or user from the requests of runs. */
  async eraseGroup(accountId: string, { by, id }: TraceGroup): Promise<void> {
    const { text, without } = this.db.dialect;
    await this.db.run(
      `UPDATE test_runs SET selection = ${without('selection', [`request.${by}`])}
        WHERE account_id = :accountId AND ${text('selection', `request.${by}`)} = :id`,
      { accountId, id },
    );
  }

  /** See `MetaStore.forget`. */
  forget(now: string): Promise<void> {
    return forgetDeleted(this.db, now);
  }

  private async eraseDatasetItems(these: Parameters): Promise<number> {
    const sql = `${this.sql.copies} LIMIT :most`;
    const copies = await this.db.all<{ item_no: number; item_id: string }>(sql, these);
    for (const { item_no, item_id: id } of copies) {
      await this.db.run(
        `UPDATE dataset_items SET item = :item, item_bytes = 100, hash = :hash, source = NULL, trace_id = NULL,
          span_id = NULL WHERE item_no = :item_no`,
        { item_no, item: JSON.stringify({ id, input: [], erased: true }), hash: new Uint8Array(32) },
      );
    }
    return copies.length;
  }

  private listByTraces(
    accountId: string,
    { traceIds, withDatasets }: Extract<RunItemsOf, { traceIds: unknown }>,
    most: number,
  ): Promise<ItemRow[]> {
    const { made, replayed, selectedItems } = this.sql;
    const erased = withDatasets
      ? `${replayed} UNION ${selectedItems}`
      : `${replayed} WHERE NOT ${OF_DATASET}`;
    return this.db.all<ItemRow>(
      `SELECT * FROM (${made} UNION ${erased}) items WHERE is_erased = 0 LIMIT :most`,
      { accountId, traceIds: JSON.stringify(traceIds), most },
    );
  }

  private listByRuns(accountId: string, runs: OldRuns, most: number): Promise<ItemRow[]> {
    const { where, parameters } = this.oldRuns(accountId, runs);
    return this.db.all<ItemRow>(
      `SELECT ${ITEM} FROM test_runs r ${this.sql.join} test_run_items i
          ON i.account_id = r.account_id AND i.test_run_id = r.test_run_id
        WHERE ${where} AND i.is_erased = 0 LIMIT :most`,
      { ...parameters, most },
    );
  }

  /** Runs that are not closed. */
  private oldRuns(
    accountId: string,
    { before, traceFunctionKey, exceptKeys = [] }: OldRuns,
  ): { where: string; parameters: Parameters } {
    const where = `r.account_id = :accountId AND r.is_erased = 0 AND r.created_us < :beforeUs
      AND r.trace_function_key NOT IN (SELECT value FROM ${this.db.dialect.texts(':exceptKeys')})
      ${traceFunctionKey === undefined ? '' : 'AND r.trace_function_key = :traceFunctionKey'}`;
    const beforeUs = parseTimestamp(before);
    return {
      where,
      parameters: { accountId, beforeUs, exceptKeys: JSON.stringify(exceptKeys), traceFunctionKey },
    };
  }
}
