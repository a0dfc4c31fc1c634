import type { TraceSort } from '@dacapo/protocol';
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
import { encodeSpans } from '../../../spans/encode-spans.js';
import { readGroupedMetrics } from '../../../spans/read-grouped-metrics.js';
import { readMetrics } from '../../../spans/read-metrics.js';
import { ConnectedSpanStore } from '../../../spans/connected-span-store.js';
import { OldBatchIds } from '../../../spans/old-batch-ids.js';
import type { PostgresConnection } from '../connection.js';
import type { PostgresTransaction } from '../meta-transaction.js';
import { PostgresReader } from '../reader.js';
import { IngestTransaction } from './ingest.js';
import { listSessions } from './list-sessions.js';
import { listTraces } from './list-traces.js';
import { lockAccount } from './locks.js';
import type { ListBounds } from './look-ahead.js';
import * as reads from './reads.js';
import { removeSpans } from './stored-traces.js';
import { SPAN_TABLES } from './tables.js';
import { metricConditions } from './trace-conditions.js';
import { PostgresTraceDeletions } from './trace-deletions.js';

/** Rows that one statement deletes, so that a large account holds no lock for long. */
const DELETED_AT_ONCE = 20_000;

const SOME_SPANS = `SELECT span_no FROM spans WHERE account_id = :accountId LIMIT ${DELETED_AT_ONCE}`;

/** The other tables of an account's spans, including its records of deletions. */
const ACCOUNT_TABLES = [
  ...SPAN_TABLES.filter(({ required }) => !('span_no' in required)),
  { name: 'deleted_traces' },
  { name: 'deleted_groups' },
].map(({ name }) => name);

/** Absent bounds have their defaults. */
export interface StoreBounds {
  list?: ListBounds;
  /** A trace with this many spans is derived behind ingest. */
  longFrom?: number;
}

/** Any number of processes may share a database, because a store keeps nothing in memory that another one needs. */
export class PostgresSpanStore extends ConnectedSpanStore<PostgresReader> {
  readonly capabilities: SpanStoreCapabilities = {
    readsOwnWrites: true,
    atomicBatches: true,
    mergesLateRecords: true,
    hasOneProcess: false,
    erasesBytes: false,
  };

  readonly deletions: PostgresTraceDeletions;
  private readonly oldBatchIds = new OldBatchIds();

  constructor(
    private readonly connection: PostgresConnection,
    private readonly bounds: StoreBounds = {},
  ) {
    super(new PostgresReader(connection), reads);
    this.deletions = new PostgresTraceDeletions(connection);
  }

  async ingest(accountId: string, batch: IngestBatch): Promise<IngestOutcome> {
    const encoded = await encodeSpans(accountId, batch);
    const oldBatchIds = this.oldBatchIds.due(batch.receivedAt);
    for (;;) {
      const outcome = await this.connection.transact((db) =>
        new IngestTransaction(db, accountId, batch, this.bounds.longFrom).store(encoded, oldBatchIds),
      );
      if (!('lateTraceIds' in outcome)) return outcome;
      await this.deletions.deleteLate(accountId, outcome.lateTraceIds, rememberedUntil(batch.receivedAt));
    }
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

  /** Repeats until nothing is left, so that rows of concurrent batches are deleted, too. */
  async deleteAccount(accountId: string): Promise<void> {
    for (let deleted = 1; deleted > 0;) {
      deleted = await this.change(accountId, (db) => removeSpans(db, SOME_SPANS, { accountId }));
      for (const table of ACCOUNT_TABLES) {
        deleted += await this.change(accountId, (db) =>
          db.run(
            `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
              SELECT ctid FROM ${table} WHERE account_id = :accountId LIMIT ${DELETED_AT_ONCE}))`,
            { accountId },
          ),
        );
      }
    }
  }

  /** Holds the account's lock, so that neither batches nor sums of its tallies are written. */
  private change(accountId: string, work: (db: PostgresTransaction) => Promise<number>): Promise<number> {
    return this.connection.transact(async (db) => {
      await lockAccount(db, accountId, 'exclusive');
      return work(db);
    });
  }
}
