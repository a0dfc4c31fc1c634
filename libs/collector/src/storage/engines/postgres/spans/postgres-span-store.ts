import { parseTimestamp, type TraceSort } from '@dacapo/protocol';
import type { MetricsAnswer, MetricsQuery } from '../../../ports/metrics-query.js';
import type { ScoreFilter } from '../../../ports/score.js';
import type {
  IngestBatch,
  IngestOutcome,
  Range,
  SessionList,
  SpanStoreCapabilities,
  TraceList,
  TracePosition,
} from '../../../ports/span-store.js';
import { rememberedUntil } from '../../../ports/trace-deletion.js';
import type { TraceFilter } from '../../../ports/trace-filter.js';
import { accountPrefix } from '../../../spans/account-prefix.js';
import { encodeSpans } from '../../../spans/encode-spans.js';
import { readGroupedMetrics } from '../../../spans/read-grouped-metrics.js';
import { readMetrics } from '../../../spans/read-metrics.js';
import { readRunCandidate } from '../../../spans/read-run-candidate.js';
import { ConnectedSpanStore, type ReadsOf } from '../../../spans/connected-span-store.js';
import type { PostgresConnection } from '../connection.js';
import { PostgresReader } from '../reader.js';
import { IngestTransaction } from './ingest.js';
import { listFacetValues } from './list-facet-values.js';
import { listSessions } from './list-sessions.js';
import { countCallTraces, listCallTraces, listTraces } from './list-traces.js';
import { lockAccount } from './locks.js';
import type { ListBounds } from './look-ahead.js';
import {
  findFirstSpans,
  listClassedCalls,
  listNodes,
  listTraceFunctionKeys,
  matchCalls,
  readSpans,
} from './read-spans.js';
import { findTrace, readFacts, readTraces } from './read-traces.js';
import { indexSpan } from './span-rows.js';
import { SPAN_TABLES } from './tables.js';
import { metricConditions } from './trace-conditions.js';
import { PostgresTraceDeletions } from './trace-deletions.js';

const FORGET_EVERY_US = 10e6;

/** Rows of one statement, so that a large account holds no lock for long. */
const DELETED_AT_ONCE = 20_000;

/** With all that is remembered of deletions. */
const ACCOUNT_TABLES = [...SPAN_TABLES.map(({ name }) => name), 'deleted_traces', 'deleted_groups'];

/** Those that are absent have their default. */
export interface StoreBounds {
  list?: ListBounds;
  /** A trace with so many spans is derived behind ingest. */
  longFrom?: number;
}

const READS: ReadsOf<PostgresReader> = {
  findFirstSpans,
  findTrace,
  readTraces,
  readFacts,
  listNodes,
  listClassedCalls,
  matchCalls,
  readSpans,
  listCallTraces,
  countCallTraces,
  listTraceFunctionKeys,
  listFacetValues,
  readRunCandidate,
};

/** Any number of processes may have one on the same database: all that one knows is in the database. */
export class PostgresSpanStore extends ConnectedSpanStore<PostgresReader> {
  readonly capabilities: SpanStoreCapabilities = {
    readsOwnWrites: true,
    atomicBatches: true,
    mergesLateRecords: true,
    hasOneProcess: false,
    erasesBytes: false,
  };

  readonly deletions: PostgresTraceDeletions;
  private forgotUs = 0;

  constructor(
    private readonly connection: PostgresConnection,
    private readonly bounds: StoreBounds = {},
  ) {
    super(new PostgresReader(connection), READS);
    this.deletions = new PostgresTraceDeletions(connection);
  }

  async ingest(accountId: string, batch: IngestBatch): Promise<IngestOutcome> {
    const prefix = accountPrefix(accountId);
    const encoded = await encodeSpans(accountId, batch, (span) => indexSpan(prefix, span));
    const forgetsBatches = this.isTimeToForget(batch.receivedAt);
    for (;;) {
      const outcome = await this.connection.transact((db) =>
        new IngestTransaction(db, accountId, batch, this.bounds.longFrom).store(encoded, forgetsBatches),
      );
      if (!('lateTraceIds' in outcome)) return outcome;
      await this.deletions.deleteLate(accountId, outcome.lateTraceIds, rememberedUntil(batch.receivedAt));
    }
  }

  /** Old batch ids are deleted together with a batch, at most every 10 s. */
  private isTimeToForget(receivedAt: string): boolean {
    const nowUs = parseTimestamp(receivedAt) ?? 0;
    if (Math.abs(nowUs - this.forgotUs) < FORGET_EVERY_US) return false;
    this.forgotUs = nowUs;
    return true;
  }

  async listTraces(
    accountId: string,
    filter: TraceFilter,
    range: Range<TracePosition>,
    sort: TraceSort = 'time',
  ): Promise<TraceList> {
    const list = await listTraces(this.reader, accountId, filter, range, sort, this.bounds.list);
    if (filter.span?.text === undefined || filter.withUnindexed === true) return list;
    const row = await this.reader.get<{ n: number }>(
      'SELECT count(*) AS n FROM span_texts WHERE account_id = :accountId AND is_cut = 1',
      { accountId },
    );
    return { ...list, ...(row !== undefined && row.n > 0 && { cutTexts: row.n }) };
  }

  listSessions(accountId: string, filter: { score?: ScoreFilter }, range: Range): Promise<SessionList> {
    return listSessions(this.reader, accountId, filter, range, this.bounds.list);
  }

  async readMetrics(accountId: string, query: MetricsQuery): Promise<MetricsAnswer> {
    const { groupBy, where } = query;
    const rows = await (groupBy === undefined && where === undefined
      ? readMetrics(this.reader, accountId, query)
      : readGroupedMetrics(this.reader, accountId, query, metricConditions(accountId, where)));
    const waiting = await this.reader.get<{ n: number }>(
      'SELECT count(*) AS n FROM long_traces WHERE account_id = :accountId',
      { accountId },
    );
    return {
      rows: rows ?? [],
      waitingBatches: waiting?.n ?? 0,
      ...(rows === undefined && { isTooMuch: true }),
    };
  }

  /** Repeats until nothing is left, so that rows that were ingested meanwhile are deleted too. */
  async deleteAccount(accountId: string): Promise<void> {
    for (let deleted = 1; deleted > 0;) {
      deleted = 0;
      for (const table of ACCOUNT_TABLES) deleted += await this.deleteRows(table, accountId);
    }
  }

  /** While neither a batch of the account is stored, nor its tallies are added up. */
  private deleteRows(table: string, accountId: string): Promise<number> {
    return this.connection.transact(async (db) => {
      await lockAccount(db, accountId, 'exclusive');
      return db.run(
        `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
          SELECT ctid FROM ${table} WHERE account_id = :accountId LIMIT ${DELETED_AT_ONCE}))`,
        { accountId },
      );
    });
  }
}
