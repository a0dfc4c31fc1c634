import { type DeletionCounts, formatTimestamp, parseTimestamp } from '@dacapo/protocol';
import { Copies } from '../../../meta/copies.js';
import { forgetDeleted, rememberDeleted, rememberDeletedGroup } from '../../../meta/deleted-traces.js';
import { countDeleted, readDeletionCounts } from '../../../meta/deletion-counts.js';
import { eraseLateTraceCopies } from '../../../meta/erase-copies.js';
import { Media } from '../../../meta/media.js';
import { Scores } from '../../../meta/scores.js';
import type { Position, Range } from '../../../ports/range.js';
import type {
  DeletableFilter,
  DeletablePage,
  DeletedPart,
  GroupDeletion,
  TraceDeletion,
  TraceDeletions,
  TraceGroup,
} from '../../../ports/trace-deletion.js';
import type { PostgresConnection } from '../connection.js';
import { isOneOf } from '../dialect.js';
import type { PostgresTransaction } from '../meta-transaction.js';
import { PostgresReader } from '../reader.js';
import { Conditions } from './conditions.js';
import { lockAccount } from './locks.js';
import { sumTallies } from './metrics.js';
import { removeSpans } from './stored-traces.js';
import { OF_TRACES, SPAN_TABLES } from './tables.js';
import { removeTraces } from './write-traces.js';

const SOME_OF_TRACES = `SELECT span_no FROM spans WHERE ${OF_TRACES} LIMIT :mostSpans`;

/** Spans of a late trace that one transaction deletes. */
const SPANS_BEFORE = 10_000;

const PAUSE_MS = 20;

export class PostgresTraceDeletions implements TraceDeletions {
  private readonly reader: PostgresReader;

  constructor(private readonly connection: PostgresConnection) {
    this.reader = new PostgresReader(connection);
  }

  async list(accountId: string, filter: DeletableFilter, { limit, after }: Range): Promise<DeletablePage> {
    const { conditions, from, sorted } = deletable(accountId, filter);
    const isSpared = spared(conditions, filter);
    if (after !== undefined) {
      const place = [conditions.bind(parseTimestamp(after[0])), conditions.bind(after[1])];
      conditions.add(`(${sorted}.started_us, ${sorted}.trace_id) < (${place.join(', ')})`);
    }
    const rows = await this.reader.all<{ trace_id: string; started_us: number; is_spared: boolean }>(
      `SELECT t.trace_id, ${sorted}.started_us, ${isSpared} AS is_spared FROM ${from} WHERE ${conditions.sql}
        ORDER BY ${sorted}.started_us DESC, ${sorted}.trace_id DESC LIMIT ${conditions.bind(limit)}`,
      conditions.parameters,
    );
    const last = rows.at(-1);
    const next: Position | undefined = last && [formatTimestamp(last.started_us), last.trace_id];
    return {
      traceIds: rows.filter(({ is_spared }) => !is_spared).map(({ trace_id }) => trace_id),
      ...(next !== undefined && rows.length === limit && { next }),
    };
  }

  async count(accountId: string, filter: DeletableFilter): Promise<{ traces: number; spans: number }> {
    const { conditions, from } = deletable(accountId, filter);
    conditions.add(`NOT ${spared(conditions, filter)}`);
    const row = await this.reader.get<{ traces: number; spans: number }>(
      `SELECT count(*) AS traces, coalesce(sum(t.span_count), 0) AS spans FROM ${from} WHERE ${conditions.sql}`,
      conditions.parameters,
    );
    return row ?? { traces: 0, spans: 0 };
  }

  deleteTraces(
    accountId: string,
    traceIds: readonly string[],
    deletion: TraceDeletion,
  ): Promise<DeletedPart> {
    return this.change(accountId, async (db) => {
      await rememberDeleted(db, accountId, traceIds, deletion);
      return (await removePart(db, accountId, traceIds, deletion)).part;
    });
  }

  /** Deletes traces that, by a late record, belong to a deleted session or user, with their copies and scores. */
  async deleteLate(accountId: string, lateTraceIds: readonly string[], forgetAt: string): Promise<void> {
    const traceIds = await this.change(accountId, async (db) => {
      const all = await eraseLateTraceCopies(toStores(db), accountId, lateTraceIds, forgetAt);
      const scores = new Scores(db);
      await scores.deleteOfTraces(accountId, all, { forgetAt });
      const sessionIds: string[] = [];
      for (let isDone = false; !isDone;) {
        const removed = await removePart(db, accountId, all, { forgetAt, mostSpans: SPANS_BEFORE });
        sessionIds.push(...removed.sessionIds);
        isDone = removed.part.isDone;
      }
      for (const sessionId of sessionIds) {
        const left = await db.get(
          'SELECT 1 FROM traces WHERE account_id = :accountId AND session_id = :sessionId LIMIT 1',
          {
            accountId,
            sessionId,
          },
        );
        if (left === undefined) await scores.deleteOfEndedSession(accountId, sessionId);
      }
      return all;
    });
    // Scores and copies are added without the account's lock. SERIALIZABLE makes one see the other, or repeats one of them.
    await this.connection.serialize(async (db) => {
      await eraseLateTraceCopies(toStores(db), accountId, traceIds, forgetAt);
      await new Scores(db).deleteOfTraces(accountId, traceIds, { forgetAt });
    });
  }

  async isDeleted(accountId: string, traceId: string): Promise<boolean> {
    const row = await this.reader.get(
      'SELECT 1 FROM deleted_traces WHERE account_id = :accountId AND trace_id = :traceId',
      { accountId, traceId },
    );
    return row !== undefined;
  }

  deleteGroup(accountId: string, group: TraceGroup, deletion: GroupDeletion): Promise<void> {
    return this.change(accountId, (db) => rememberDeletedGroup(db, accountId, group, deletion));
  }

  counts(accountId: string, deletionId: string): Promise<Partial<DeletionCounts>> {
    return readDeletionCounts(this.reader, accountId, deletionId);
  }

  /** Resolves when no tally from before the call is left. */
  async settle(accountId: string): Promise<void> {
    const waiting = await this.reader.get<{ n: number }>(
      'SELECT count(*) AS n FROM metrics WHERE account_id = :accountId AND is_sum = 0',
      { accountId },
    );
    for (let left = waiting?.n ?? 0; left > 0;) {
      const summed = await this.connection.transact((db) => sumTallies(db, accountId));
      if (summed === undefined) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      else left = summed === 0 ? 0 : left - summed;
    }
  }

  /** Frees the space of deleted rows in the background. Their bytes may remain until PostgreSQL overwrites them. */
  async scrub(): Promise<undefined> {
    await this.connection.all(`VACUUM ${SPAN_TABLES.map(({ name }) => name).join(', ')}`, []);
    return undefined;
  }

  async forget(now: string): Promise<void> {
    await this.connection.transact((db) => forgetDeleted(db, now));
  }

  /** Holds the account's lock, so that no batch is stored. */
  private change<T>(accountId: string, work: (db: PostgresTransaction) => Promise<T>): Promise<T> {
    return this.connection.transact(async (db) => {
      await lockAccount(db, accountId, 'exclusive');
      return work(db);
    });
  }
}

function toStores(db: PostgresTransaction): { copies: Copies; media: Media } {
  return { copies: new Copies(db), media: new Media(db) };
}

/** Deletes the traces and a part of their spans. */
async function removePart(
  db: PostgresTransaction,
  accountId: string,
  traceIds: readonly string[],
  { deletionId, mostSpans }: TraceDeletion,
): Promise<{ part: DeletedPart; sessionIds: string[] }> {
  const { traces, sessionIds } = await removeTraces(db, accountId, traceIds);
  const these = { accountId, traceIds: JSON.stringify(traceIds), mostSpans };
  const spans = await removeSpans(db, SOME_OF_TRACES, these);
  await countDeleted(db, accountId, deletionId, { traces, spans });
  return { part: { traces, spans, isDone: spans < mostSpans }, sessionIds };
}

/** The matching traces `t` and their sort key. */
function deletable(
  accountId: string,
  { traceIds, sessionId, userId, traceFunctionKey: key, before }: DeletableFilter,
): { conditions: Conditions; from: string; sorted: 't' | 'c' } {
  const isByKey = key !== undefined && traceIds === undefined && (sessionId ?? userId) === undefined;
  const sorted = isByKey ? 'c' : 't';
  const conditions = new Conditions();
  conditions.equal(`${sorted}.account_id`, accountId);
  if (traceIds !== undefined) {
    const named = conditions.bind(JSON.stringify(traceIds));
    conditions.add(isOneOf('t.trace_id', named));
  }
  if (sessionId !== undefined) conditions.equal('t.session_id', sessionId);
  if (userId !== undefined) conditions.equal('t.user_id', userId);
  if (isByKey) conditions.equal('c.trace_function_key', key);
  else if (key !== undefined) {
    conditions.add(`EXISTS (SELECT 1 FROM trace_calls o WHERE o.account_id = t.account_id
      AND o.trace_id = t.trace_id AND o.trace_function_key = ${conditions.bind(key)})`);
  }
  if (before !== undefined) conditions.compare(`${sorted}.started_us`, '<', parseTimestamp(before));
  const calls = 'trace_calls c JOIN traces t ON t.account_id = c.account_id AND t.trace_id = c.trace_id';
  return { conditions, from: isByKey ? calls : 'traces t', sorted };
}

/** Whether a trace has a call with one of `exceptKeys`. */
function spared(conditions: Conditions, { exceptKeys = [] }: DeletableFilter): string {
  const keys = conditions.bind(JSON.stringify(exceptKeys));
  return `EXISTS (SELECT 1 FROM trace_calls o WHERE o.account_id = t.account_id AND o.trace_id = t.trace_id
    AND ${isOneOf('o.trace_function_key', keys)})`;
}
