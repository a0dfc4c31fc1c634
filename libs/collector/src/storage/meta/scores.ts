import { type FacetValues, parseTimestamp, type ScoreRecord } from '@dacapo/protocol';
import type { RunItemRef } from '../ports/copies.js';
import type { Range } from '../ports/range.js';
import type { SpanRef } from '../ports/span-store.js';
import {
  scoreAmount,
  type ScoreKey,
  toScoreKey,
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

/** Only the latest score of a place counts: that of one target, name and author. */
const PLACE = ['account_id', 'target', 'target_id', 'part', 'name', 'author_kind', 'author_name'] as const;
const SAME_PLACE = PLACE.map((column) => `o.${column} = n.${column}`).join(' AND ');

/**
 * Scores of traces, spans, sessions and items of test runs. A score never changes, and its target need not exist. It is identified by
 * account and id: the first one stays. For each target, name and author, the latest counts, by `created_at` and then id, in whatever
 * order they arrive. Every method is limited to one account.
 */
export class Scores {
  static readonly writes = ['add', 'deleteOfTraces', 'deleteOfSession', 'deleteOfEndedSession'] as const;

  constructor(private readonly db: MetaTransaction) {}

  /** Drops scores of deleted traces, erased items, and sessions that were deleted later. @returns the number of dropped scores */
  async add(accountId: string, scores: readonly ScoreRecord[]): Promise<number> {
    const isLate = await this.findLate(accountId, scores);
    const kept = scores.filter((score) => !isLate(score));
    await this.put(accountId, kept);
    return scores.length - kept.length;
  }

  /**
   * Newest first. Reads a limited number of scores, except for a single target, and then returns `lookedUntil`.
   */
  list(accountId: string, query: ScoreQuery, range: Range): Promise<ScoreList> {
    return listScores(this.db, accountId, query, range);
  }

  /** The scores that count of these spans, and those of their traces as a whole. In any order. */
  async listOfSpans(accountId: string, spans: readonly SpanRef[]): Promise<ScoreRecord[]> {
    const { texts } = this.db.dialect;
    const rows = await this.db.all<{ record: string }>(
      `SELECT record FROM scores WHERE account_id = :accountId AND target = 'trace' AND is_latest = 1
        AND target_id IN (SELECT value FROM ${texts(':traceIds')}) AND part IN (SELECT value FROM ${texts(':parts')})`,
      {
        accountId,
        traceIds: JSON.stringify([...new Set(spans.map(({ trace_id }) => trace_id))]),
        parts: JSON.stringify(['', ...spans.map(({ span_id }) => span_id)]),
      },
    );
    return rows.map(({ record }) => JSON.parse(record) as ScoreRecord);
  }

  /** Names of scores that filters accept, sorted. */
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

  /** The traces or sessions with a matching score, in any order. A trace also matches by its spans. */
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

  /** Deletes the scores of these traces and their spans. @returns the number of scores */
  async deleteOfTraces(
    accountId: string,
    traceIds: readonly string[],
    { forgetAt, deletionId }: ScoresOfTraces,
  ): Promise<number> {
    await rememberDeleted(this.db, accountId, traceIds, { forgetAt });
    return this.delete(accountId, 'trace', traceIds, deletionId);
  }

  /** Deletes scores of a session from before its deletion, and drops late ones. @returns the number of scores */
  async deleteOfSession(accountId: string, sessionId: string, deletion: GroupDeletion): Promise<number> {
    await rememberDeletedGroup(this.db, accountId, { by: 'session_id', id: sessionId }, deletion);
    return this.delete(accountId, 'session', [sessionId], deletion.deletionId, deletion.deletedAt);
  }

  /** Deletes the scores of a session whose last trace is deleted. @returns the number of scores */
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

  /** Stores scores with new ids and marks the latest of each place. The number of statements does not depend on that of scores. */
  private async put(accountId: string, scores: readonly ScoreRecord[]): Promise<void> {
    const ids = this.db.dialect.texts(':ids');
    const byId = new Map(scores.toReversed().map((score) => [score.id, score]));
    const stored = await this.db.all<{ score_id: string }>(
      `SELECT score_id FROM scores WHERE account_id = :accountId AND score_id IN (SELECT value FROM ${ids} i)`,
      { accountId, ids: JSON.stringify([...byId.keys()]) },
    );
    for (const { score_id } of stored) byId.delete(score_id);
    if (byId.size === 0) return;
    const rows = Array.from(byId.values(), (score) => toRow(accountId, score));
    await this.db.insertAll('scores', rows);
    const latest = { accountId, ids: JSON.stringify(findLatest(rows).map(({ score_id }) => score_id)) };
    const added = `${ids} i ${this.db.dialect.join} scores n ON n.account_id = :accountId AND n.score_id = i.value`;
    await this.db.run(
      `UPDATE scores SET is_latest = 0 WHERE score_no IN (
        SELECT o.score_no FROM ${added} ${this.db.dialect.join} scores o ON ${SAME_PLACE} AND o.is_latest = 1
          WHERE (o.created_us, o.score_id) < (n.created_us, n.score_id))`,
      latest,
    );
    await this.db.run(
      `UPDATE scores SET is_latest = 1 WHERE score_no IN (
        SELECT n.score_no FROM ${added}
          WHERE NOT EXISTS (SELECT 1 FROM scores o WHERE ${SAME_PLACE} AND o.is_latest = 1))`,
      latest,
    );
  }
}

function toRow(accountId: string, score: ScoreRecord) {
  const { target, targetId, part } = toScoreKey(score);
  return {
    account_id: accountId,
    score_id: score.id,
    target,
    target_id: targetId,
    part,
    name: score.name,
    author_kind: score.author.kind,
    author_name: score.author.name,
    created_us: parseTimestamp(score.created_at) ?? 0,
    amount: scoreAmount(score),
    is_given: score.value !== null,
    record: JSON.stringify(score),
  };
}

type NewRow = ReturnType<typeof toRow>;

/** The latest row of each place. */
function findLatest(rows: readonly NewRow[]): NewRow[] {
  const byPlace = new Map<string, NewRow>();
  for (const row of rows) {
    const place = JSON.stringify(PLACE.map((column) => row[column]));
    const other = byPlace.get(place);
    if (other === undefined || isLater(row, other)) byPlace.set(place, row);
  }
  return [...byPlace.values()];
}

function isLater(row: NewRow, other: NewRow): boolean {
  return row.created_us === other.created_us
    ? row.score_id > other.score_id
    : row.created_us > other.created_us;
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

/** Appended to a prefix, sorts after all texts with the prefix. */
const LAST = '\u{10FFFF}';
