import { type DeletionCounts, formatTimestamp, parseTimestamp } from '@dacapo/protocol';
import { sha256 } from '../../../sha256.js';
import { eraseLateTraceCopies } from '../../meta/erase-copies.js';
import type { MetaStore } from '../../meta/meta-store.js';
import { DAY_HOURS, floorToPeriod } from '../../ports/metrics-query.js';
import type { Position, Range } from '../../ports/range.js';
import type {
  DeletableFilter,
  DeletablePage,
  DeletedPart,
  GroupDeletion,
  TraceDeletion,
  TraceDeletions,
  TraceGroup,
} from '../../ports/trace-deletion.js';
import { Conditions } from './conditions.js';
import type { ClickHouseConnection, QueryParameters } from './connection.js';
import { callsOf, OF_TRACES, currentTraces } from './tables.js';

/** Keeps a statement with all ids below ClickHouse's limits. */
const TRACES_AT_ONCE = 1000;

const NOTHING = { traces: 0, spans: 0 };

/** In this order, so that lists lose a trace before its spans are deleted, and these still name its days if a deletion starts again. */
const TABLES = ['trace_versions', 'day_sums', 'span_records'] as const;
type Table = (typeof TABLES)[number];

/** No row for traces without spans. */
const TIME = `SELECT min(started_us) AS first_us, max(started_us) AS last_us FROM span_records
  WHERE account_id = {accountId:String} AND span_id != '' AND ${OF_TRACES} HAVING count() > 0`;

interface TimeRow {
  first_us?: number;
  last_us?: number;
}

const COUNT = `SELECT uniqExact(trace_id) AS traces, uniqExactIf((trace_id, span_id), span_id != '') AS spans
  FROM span_records WHERE account_id = {accountId:String} AND ${OF_TRACES}`;

export class ClickHouseTraceDeletions implements TraceDeletions {
  constructor(
    private readonly connection: ClickHouseConnection,
    private readonly meta: MetaStore,
  ) {}

  async list(accountId: string, filter: DeletableFilter, { limit, after }: Range): Promise<DeletablePage> {
    const { conditions, from, sorted } = deletable(accountId, filter);
    const isSpared = spared(conditions, filter);
    if (after !== undefined) {
      const place = [conditions.bind(parseTimestamp(after[0]) ?? 0), conditions.bind(after[1])];
      conditions.add(`(${sorted}.started_us, t.trace_id) < (${place.join(', ')})`);
    }
    const rows = await this.connection.all<{ trace_id: string; started_us: number; is_spared: number }>(
      `SELECT t.trace_id AS trace_id, ${sorted}.started_us AS started_us, ${isSpared} AS is_spared FROM ${from}
        WHERE ${conditions.sql} ORDER BY started_us DESC, trace_id DESC LIMIT ${limit}`,
      conditions.parameters,
    );
    const last = rows.at(-1);
    const next: Position | undefined = last && [formatTimestamp(last.started_us), last.trace_id];
    return {
      traceIds: rows.filter(({ is_spared }) => is_spared === 0).map(({ trace_id }) => trace_id),
      ...(next !== undefined && rows.length === limit && { next }),
    };
  }

  async count(accountId: string, filter: DeletableFilter): Promise<{ traces: number; spans: number }> {
    const { conditions, from } = deletable(accountId, filter);
    conditions.add(`NOT ${spared(conditions, filter)}`);
    const row = await this.connection.get<typeof NOTHING>(
      `SELECT count() AS traces, sum(t.span_count) AS spans FROM ${from} WHERE ${conditions.sql}`,
      conditions.parameters,
    );
    return row ?? NOTHING;
  }

  /** Deletes all traces in one part: for ClickHouse, fewer rows are not faster. */
  async deleteTraces(
    accountId: string,
    traceIds: readonly string[],
    { deletionId, forgetAt }: TraceDeletion,
  ): Promise<DeletedPart> {
    const deleted = { traces: 0, spans: 0, isDone: true };
    for (let start = 0; start < traceIds.length; start += TRACES_AT_ONCE) {
      const some = traceIds.slice(start, start + TRACES_AT_ONCE);
      const [counts = NOTHING] = await this.connection.all<typeof NOTHING>(COUNT, {
        accountId,
        traceIds: some,
      });
      await this.meta.arrivals.deleteTraces(accountId, {
        traceIds: some,
        forgetAt,
        counts,
        part: sha256(JSON.stringify(some)),
        ...(deletionId !== undefined && { deletionId }),
      });
      await this.removeRows(accountId, some);
      deleted.traces += counts.traces;
      deleted.spans += counts.spans;
    }
    return deleted;
  }

  /** Deletes traces that, by a late record, belong to a deleted session or user, with their copies and scores. */
  async deleteLate(accountId: string, lateTraceIds: readonly string[], forgetAt: string): Promise<void> {
    const { arrivals, scores } = this.meta;
    const traceIds = await eraseLateTraceCopies(this.meta, accountId, lateTraceIds, forgetAt);
    const part = sha256(JSON.stringify(traceIds));
    await arrivals.deleteTraces(accountId, { traceIds, forgetAt, withCopies: true, part, counts: {} });
    await scores.deleteOfTraces(accountId, traceIds, { forgetAt });
    const rows = await this.connection.all<{ session_id: string }>(
      `SELECT DISTINCT session_id FROM ${currentTraces(OF_TRACES)} WHERE session_id IS NOT NULL`,
      { accountId, traceIds },
    );
    await this.removeRows(accountId, traceIds);
    for (const { session_id: sessionId } of rows) {
      const left = await this.list(accountId, { sessionId }, { limit: 1 });
      if (left.traceIds.length === 0) await scores.deleteOfEndedSession(accountId, sessionId);
    }
  }

  /** Hides the rows from reads at once. The statement has only ids, because ClickHouse keeps it in a log. */
  async removeRows(accountId: string, traceIds: readonly string[]): Promise<void> {
    if (traceIds.length === 0) return;
    const { first_us, last_us } = (await this.connection.get<TimeRow>(TIME, { accountId, traceIds })) ?? {};
    await this.remove('trace_versions', OF_TRACES, { accountId, traceIds });
    if (first_us !== undefined && last_us !== undefined)
      await this.remove('day_sums', 'day_us >= {sinceUs:Int64} AND day_us <= {lastUs:Int64}', {
        accountId,
        sinceUs: floorToPeriod(first_us, DAY_HOURS),
        lastUs: floorToPeriod(last_us, DAY_HOURS),
      });
    await this.remove('span_records', OF_TRACES, { accountId, traceIds });
  }

  private async remove(table: Table, condition: string, parameters: QueryParameters): Promise<void> {
    await this.connection.run(
      `DELETE FROM ${table} WHERE account_id = {accountId:String} AND ${condition} SETTINGS lightweight_deletes_sync = 2`,
      parameters,
    );
  }

  async deleteAccount(accountId: string): Promise<void> {
    for (const table of TABLES) await this.remove(table, '1', { accountId });
    await this.meta.arrivals.deleteAccount(accountId);
  }

  async isDeleted(accountId: string, traceId: string): Promise<boolean> {
    const deleted = await this.meta.arrivals.findDeleted(accountId, { traceIds: [traceId], digests: [] });
    return deleted.traceIds.length > 0;
  }

  deleteGroup(accountId: string, group: TraceGroup, deletion: GroupDeletion): Promise<void> {
    return this.meta.arrivals.deleteGroup(accountId, group, deletion);
  }

  counts(accountId: string, deletionId: string): Promise<Partial<DeletionCounts>> {
    return this.meta.arrivals.counts(accountId, deletionId);
  }

  /** ClickHouse has no work behind ingest. */
  settle(): Promise<void> {
    return Promise.resolve();
  }

  /** Does nothing: ClickHouse removes the bytes of deleted rows when it merges their parts. */
  scrub(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  forget(now: string): Promise<void> {
    return this.meta.copies.forget(now);
  }
}

/** The matching traces `t` and their sort key. */
function deletable(
  accountId: string,
  { traceIds, sessionId, userId, traceFunctionKey: key, before }: DeletableFilter,
): { conditions: Conditions; from: string; sorted: 't' | 'c' } {
  const isByKey = key !== undefined && traceIds === undefined && (sessionId ?? userId) === undefined;
  const sorted = isByKey ? 'c' : 't';
  const conditions = new Conditions(accountId);
  if (traceIds !== undefined) conditions.add(`t.trace_id IN ${conditions.bind(traceIds)}`);
  if (sessionId !== undefined) conditions.equal('t.session_id', sessionId);
  if (userId !== undefined) conditions.equal('t.user_id', userId);
  if (isByKey) conditions.equal('c.trace_function_key', key);
  else if (key !== undefined) conditions.add(`has(t.calls.trace_function_key, ${conditions.bind(key)})`);
  if (before !== undefined) conditions.compare(`${sorted}.started_us`, '<', parseTimestamp(before) ?? 0);
  return { conditions, from: isByKey ? callsOf() : `${currentTraces()} AS t`, sorted };
}

/** Whether a trace has a call with one of `exceptKeys`. */
function spared(conditions: Conditions, { exceptKeys = [] }: DeletableFilter): string {
  return `hasAny(t.calls.trace_function_key, ${conditions.bind(exceptKeys)})`;
}
