import { type FacetValues, parseTimestamp, type ScoreRecord } from '@dacapo/protocol';
import type { RunItemRef } from '../ports/copies.js';
import type { Range } from '../ports/range.js';
import {
  amountOf,
  type ScoreKey,
  scoreKeyOf,
  type ScoreFilter,
  type ScoreList,
  type ScoreQuery,
  type ScoresOfTraces,
} from '../ports/score.js';
import type { GroupDeletion } from '../ports/trace-deletion.js';
import { findDeleted, findDeletedSessions, rememberDeleted, rememberDeletedGroup } from './deleted-traces.js';
import { countDeleted } from './deletion-counts.js';
import { listScores } from './list-scores.js';
import type { MetaTransaction } from './transaction.js';

/** Where scores replace each other: those of one name and author on one target. */
const PLACE = `account_id = :account_id AND target = :target AND target_id = :target_id AND part = :part
  AND name = :name AND author_kind = :author_kind AND author_name = :author_name`;

/**
 * Scores of traces, spans, sessions and items of test runs. They are only ever added, and need nothing to be there. Identity of a score is
 * (account, id): the first stays. Of those with one target, name and author the latest counts, by `created_at`, then by the greater id,
 * however they arrive. Every method sees one account's data alone.
 */
export class Scores {
  static readonly writes = ['add', 'deleteOfTraces', 'deleteOfSession', 'deleteOfEndedSession'] as const;

  constructor(private readonly db: MetaTransaction) {}

  /** Drops scores of deleted traces, of sessions from before they were deleted, and of erased items. @returns how many */
  async add(accountId: string, scores: readonly ScoreRecord[]): Promise<number> {
    const isLate = await this.findLate(accountId, scores);
    const kept = scores.filter((score) => !isLate(score));
    for (const score of kept) await this.put(accountId, score);
    return scores.length - kept.length;
  }

  /**
   * The newest first. Where it is not asked for those of one target, a store may look at so many scores at most, and then says how far it
   * came.
   */
  list(accountId: string, query: ScoreQuery, range: Range): Promise<ScoreList> {
    return listScores(this.db, accountId, query, range);
  }

  /** Names of scores that traces can be filtered by, by the alphabet. */
  async listNames(accountId: string, prefix: string, limit: number): Promise<FacetValues> {
    const next = (
      than: string,
    ): string => `(SELECT min(name) FROM scores ${this.db.dialect.indexedBy('scores_by_amount')}
      WHERE account_id = :accountId AND target = 'trace' AND is_latest = 1 AND is_given = 1 AND name ${than} AND name < :end)`;
    const rows = await this.db.all<{ name: string }>(
      `WITH RECURSIVE walk(name, n) AS (
          SELECT ${next('>= :prefix')}, 1
          UNION ALL SELECT ${next('> walk.name')}, n + 1 FROM walk WHERE name IS NOT NULL AND n <= :limit)
        SELECT name FROM walk WHERE name IS NOT NULL`,
      { accountId, prefix, end: prefix + LAST, limit },
    );
    const items = rows.slice(0, limit).map(({ name }) => name);
    return { items, ...(rows.length > limit && { has_more: true }) };
  }

  /** Those of these traces or sessions, spans of traces included, that have such a score. In any order. */
  async findScored(
    accountId: string,
    target: 'trace' | 'session',
    ids: readonly string[],
    { name, is, below, above }: ScoreFilter,
  ): Promise<string[]> {
    const { texts, isAmong } = this.db.dialect;
    const rows = await this.db.all<{ target_id: string }>(
      `SELECT DISTINCT k.target_id FROM scores k
        WHERE k.account_id = :accountId AND k.target = :target AND k.is_latest = 1 AND k.is_given = 1 AND k.name = :name
        ${is === undefined ? '' : `AND ${isAmong('k.record', 'value', ':values')}`}
        ${below === undefined ? '' : 'AND k.amount < :below'} ${above === undefined ? '' : 'AND k.amount > :above'}
        AND k.target_id IN (SELECT value FROM ${texts(':ids')})`,
      {
        accountId,
        target,
        name,
        below,
        above,
        ids: JSON.stringify(ids),
        values: is && JSON.stringify(is.map((value) => JSON.stringify(value))),
      },
    );
    return rows.map(({ target_id }) => target_id);
  }

  /** Deletes the scores of these traces and their spans. @returns how many */
  async deleteOfTraces(
    accountId: string,
    traceIds: readonly string[],
    { forgetAt, deletionId }: ScoresOfTraces,
  ): Promise<number> {
    await rememberDeleted(this.db, accountId, traceIds, { forgetAt });
    return this.delete(accountId, 'trace', traceIds, deletionId);
  }

  /** Deletes what was scored of a session before it was deleted. What was, and comes late, is dropped. @returns how many */
  async deleteOfSession(accountId: string, sessionId: string, deletion: GroupDeletion): Promise<number> {
    await rememberDeletedGroup(this.db, accountId, { by: 'session_id', id: sessionId }, deletion);
    return this.delete(accountId, 'session', [sessionId], deletion.deletionId, deletion.deletedAt);
  }

  /** Deletes the scores of a session whose last trace is deleted. @returns how many */
  deleteOfEndedSession(accountId: string, sessionId: string, deletionId?: string): Promise<number> {
    return this.delete(accountId, 'session', [sessionId], deletionId);
  }

  private async delete(
    accountId: string,
    target: ScoreKey['target'],
    ids: readonly string[],
    deletionId?: string,
    before?: string,
  ): Promise<number> {
    const scores = await this.db.run(
      `DELETE FROM scores WHERE account_id = :accountId AND target = :target
        AND target_id IN (SELECT value FROM ${this.db.dialect.texts(':ids')})
        ${before === undefined ? '' : 'AND created_us < :beforeUs'}`,
      { accountId, target, ids: JSON.stringify(ids), beforeUs: before && parseTimestamp(before) },
    );
    await countDeleted(this.db, accountId, deletionId, { scores });
    return scores;
  }

  private async findLate(
    accountId: string,
    scores: readonly ScoreRecord[],
  ): Promise<(score: ScoreRecord) => boolean> {
    const traces = await findDeleted(
      this.db,
      accountId,
      scores.map(({ trace_id }) => trace_id),
    );
    const sessions = await findDeletedSessions(
      this.db,
      accountId,
      scores.flatMap(({ session_id }) => session_id ?? []),
    );
    const erased = new Set<ScoreRecord>();
    for (const score of scores) if (await this.hasErasedItem(accountId, score)) erased.add(score);
    return (score) => {
      const { trace_id: traceId, session_id: sessionId, created_at } = score;
      const deletedUs = sessionId === undefined ? undefined : sessions.get(sessionId);
      return (
        erased.has(score) ||
        (traceId !== undefined && traces.has(traceId)) ||
        (deletedUs !== undefined && (parseTimestamp(created_at) ?? 0) < deletedUs)
      );
    };
  }

  private async hasErasedItem(
    accountId: string,
    { test_run_id: runId, item_no: itemNo = 0, repetition = 0 }: ScoreRecord,
  ): Promise<boolean> {
    if (runId === undefined) return false;
    const erased = await this.db.get(
      `SELECT 1 FROM test_run_items WHERE account_id = :accountId AND test_run_id = :runId AND item_no = :itemNo
        AND repetition = :repetition AND is_erased = 1`,
      { accountId, runId, itemNo, repetition },
    );
    return erased !== undefined;
  }

  private async put(accountId: string, score: ScoreRecord): Promise<void> {
    const { target, targetId, part } = scoreKeyOf(score);
    const row = {
      account_id: accountId,
      score_id: score.id,
      target,
      target_id: targetId,
      part,
      name: score.name,
      author_kind: score.author.kind,
      author_name: score.author.name,
      created_us: parseTimestamp(score.created_at),
      amount: amountOf(score),
      is_given: score.value !== null,
      record: JSON.stringify(score),
    };
    const added = await this.db.insert('scores', row, 'ON CONFLICT(account_id, score_id) DO NOTHING');
    if (added === 0) return;
    await this.db.run(
      `UPDATE scores SET is_latest = 0
        WHERE ${PLACE} AND is_latest = 1 AND (created_us, score_id) < (:created_us, :score_id)`,
      row,
    );
    const latest = await this.db.get(`SELECT 1 FROM scores WHERE ${PLACE} AND is_latest = 1`, row);
    if (latest !== undefined) return;
    const sql = 'UPDATE scores SET is_latest = 1 WHERE account_id = :account_id AND score_id = :score_id';
    await this.db.run(sql, row);
  }
}

export function deleteItemScores(
  db: MetaTransaction,
  accountId: string,
  { testRunId, item }: RunItemRef,
): Promise<number> {
  return db.run(
    `DELETE FROM scores WHERE account_id = :accountId AND target = 'item' AND target_id = :testRunId AND part = :part`,
    { accountId, testRunId, part: item.join('/') },
  );
}

/** Sorts behind all that begins alike. */
const LAST = '\u{10FFFF}';
