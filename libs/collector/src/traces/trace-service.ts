import {
  type FacetValues,
  pickLabels,
  LIMITS,
  type Page,
  type ScoreRecord,
  type SessionSummary,
  type SpanDetail,
  type TraceDetail,
  type TraceFunctionKeySummary,
  type TracePage,
  type TraceSort,
} from '@dacapo/protocol';
import { Injectable, NotFoundException } from '@nestjs/common';
import { encodeCursor, type PageRequest, readPosition, takePage } from '../cursor.js';
import { InvalidCursorError } from '../errors.js';
import type { FacetQuery } from '../storage/ports/facets.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import type { ScoreFilter, ScoreQuery } from '../storage/ports/score.js';
import { previewError } from '../storage/rules/preview.js';
import { sumTraceUsage } from '../storage/rules/span-usage.js';
import { type ListedTrace, SpanStore, type TracePosition } from '../storage/ports/span-store.js';
import type { TraceFilter } from '../storage/ports/trace-filter.js';
import { findMatchingCalls } from './matching-calls.js';

@Injectable()
export class TraceService {
  constructor(
    private readonly store: SpanStore,
    private readonly meta: MetaStore,
  ) {}

  /**
   * Sorted like {@link SpanStore.listTraces}. A page of a long search may end early, even empty; the next page continues there.
   *
   * @throws InvalidCursorError
   */
  async list(
    accountId: string,
    filter: TraceFilter,
    page: PageRequest,
    sort: TraceSort = 'time',
  ): Promise<TracePage> {
    const range = { limit: page.limit + 1, ...readTracePosition(page, sort) };
    const list = await this.store.listTraces(accountId, filter, range, sort);
    const { traces: rows, lookedUntil, textIndexedUntil, cutTexts } = list;
    const toCursor = (position: TracePosition) => (sort === 'time' ? position : [sort, ...position]);
    const { kept, ...full } = takePage(rows, page.limit, ({ position }) => toCursor(position));
    const next =
      lookedUntil && !full.next_cursor ? { next_cursor: encodeCursor(toCursor(lookedUntil)) } : full;
    const calls = await findMatchingCalls(this.store, accountId, kept, filter);
    const traces = this.store.capabilities.mergesLateRecords ? kept : await this.readAgain(accountId, kept);
    return {
      items: traces.map(({ trace }) => {
        const call = calls.get(trace.id);
        return { ...trace, ...(call !== undefined && { first_call: call }) };
      }),
      ...next,
      ...(textIndexedUntil !== undefined && { text_indexed_until: textIndexedUntil }),
      ...(cutTexts !== undefined && {
        text_cut: { spans: cutTexts, after_characters: LIMITS.searchedCharacters },
      }),
    };
  }

  /** @throws NotFoundException */
  async get(
    accountId: string,
    traceId: string,
    page: PageRequest = { limit: LIMITS.spansOfTrace },
  ): Promise<TraceDetail> {
    const range = { limit: page.limit, ...readPosition(page, 'time', 'number') };
    const [trace, scores] = await Promise.all([
      this.store.findTrace(accountId, traceId, range),
      this.readScores(accountId, { traceId }),
    ]);
    if (!trace) {
      const isDeleted = await this.store.deletions.isDeleted(accountId, traceId);
      throw isDeleted
        ? new NotFoundException(`Trace ${traceId} was deleted`)
        : this.notFound(`Trace ${traceId}`);
    }
    const { next, ...detail } = trace;
    // A trace of several pages shows the usage from its list row.
    const isWhole = page.cursor === undefined && next === undefined;
    const usage = isWhole ? sumTraceUsage(trace.spans) : undefined;
    return {
      ...detail,
      ...(next !== undefined && { next_cursor: encodeCursor(next) }),
      ...scores,
      ...(usage !== undefined && { usage }),
    };
  }

  /** @throws NotFoundException */
  async getSpan(accountId: string, traceId: string, spanId: string): Promise<SpanDetail> {
    const [[span], scores] = await Promise.all([
      this.store.readSpans(accountId, [{ trace_id: traceId, span_id: spanId }]),
      this.readScores(accountId, { traceId, spanId }),
    ]);
    if (!span) throw this.notFound(`Span ${spanId} of trace ${traceId}`);
    const { cost, ...record } = span;
    return {
      ...record,
      ...(cost !== undefined && { cost_usd: cost.usd, price_version: cost.priceVersion }),
      ...scores,
    };
  }

  listKeys(accountId: string): Promise<TraceFunctionKeySummary[]> {
    return this.store.listTraceFunctionKeys(accountId);
  }

  listFacetValues(accountId: string, query: FacetQuery, limit: number): Promise<FacetValues> {
    return query.of === 'score'
      ? this.meta.scores.listNames(accountId, query.prefix, limit)
      : this.store.listFacetValues(accountId, query, limit);
  }

  /** A page may end early, like a page of traces. @throws InvalidCursorError */
  async listSessions(
    accountId: string,
    filter: { score?: ScoreFilter },
    page: PageRequest,
  ): Promise<Page<SessionSummary>> {
    const range = { limit: page.limit + 1, ...readPosition(page, 'time', 'text') };
    const { sessions, lookedUntil } = await this.store.listSessions(accountId, filter, range);
    const { kept: items, ...full } = takePage(sessions, page.limit, ({ last_started_at, session_id }) => [
      last_started_at,
      session_id,
    ]);
    const next = lookedUntil && !full.next_cursor ? { next_cursor: encodeCursor(lookedUntil) } : full;
    return { items, ...next };
  }

  private async readScores(accountId: string, query: ScoreQuery): Promise<{ scores?: ScoreRecord[] }> {
    const { scores } = await this.meta.scores.list(accountId, query, { limit: LIMITS.scores });
    return scores.length === 0 ? {} : { scores };
  }

  /** Updates rows that may be out of date with the current traces. */
  private async readAgain(accountId: string, rows: readonly ListedTrace[]): Promise<ListedTrace[]> {
    const roots = rows.flatMap(({ trace, rootSpanId }) =>
      trace.status === 'unfinished' && rootSpanId !== undefined
        ? [{ trace_id: trace.id, span_id: rootSpanId }]
        : [],
    );
    const [records, spans] = await Promise.all([
      this.store.readTraces(
        accountId,
        rows.map(({ trace }) => trace.id),
      ),
      this.store.readSpans(accountId, roots),
    ]);
    const known = new Map(records.map((record) => [record.id, record]));
    const ended = new Map(spans.map((span) => [span.trace_id, span]));
    return rows.map((row) => {
      const { tags, ...record } = known.get(row.trace.id) ?? {};
      const { status, ended_at, duration_ms, span_data } = ended.get(row.trace.id) ?? {};
      const errorPreview = previewError(span_data?.error);
      return {
        ...row,
        trace: {
          ...row.trace,
          ...pickLabels(record),
          ...(tags !== undefined && { tags }),
          ...(status !== undefined && { status }),
          ...(ended_at !== undefined && { ended_at }),
          ...(duration_ms !== undefined && { duration_ms }),
          ...(errorPreview !== undefined && { error_preview: errorPreview }),
        },
      };
    });
  }

  private notFound(what: string): NotFoundException {
    const isLate = !this.store.capabilities.readsOwnWrites;
    return new NotFoundException(`${what} not found${isLate ? ', or not readable yet' : ''}`);
  }
}

/** A cursor of another sort order is invalid. @throws InvalidCursorError */
function readTracePosition(page: PageRequest, sort: TraceSort): { after?: TracePosition } {
  if (sort === 'time') return readPosition(page, 'time', 'text');
  const { after } = readPosition(page, 'text', sort === 'oldest' ? 'time' : 'amount', 'text');
  if (after === undefined) return {};
  if (after[0] !== sort) throw new InvalidCursorError();
  return { after: [after[1], after[2]] };
}
