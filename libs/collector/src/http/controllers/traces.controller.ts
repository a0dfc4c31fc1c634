import {
  type FacetValues,
  type Page,
  ROUTES,
  type SessionSummary,
  type SpanDetail,
  type TraceDetail,
  type TraceFunctionKeySummary,
  type TracePage,
} from '@dacapo/protocol';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { TraceService } from '../../traces/trace-service.js';
import { Caller } from '../access/caller.decorator.js';
import { Needs } from '../access/needs.decorator.js';
import { pageOf, type Query as QueryString, scoreFilterOf } from '../query/page-query.js';
import { QUERIES } from '../query/query-parameters.js';
import { Takes } from '../query/takes.decorator.js';
import { facetQueryOf, traceFilterOf, traceSortOf } from '../query/trace-query.js';

@Controller()
export class TracesController {
  constructor(private readonly traces: TraceService) {}

  @Get(ROUTES.traces)
  @Takes('traces')
  @Needs('read')
  list(@Caller() accountId: string, @Query() query: QueryString): Promise<TracePage> {
    return this.traces.list(accountId, traceFilterOf(query), pageOf(query), traceSortOf(query));
  }

  @Get(ROUTES.trace)
  @Takes('trace')
  @Needs('read')
  get(
    @Caller() accountId: string,
    @Param('id') id: string,
    @Query() query: QueryString,
  ): Promise<TraceDetail> {
    return this.traces.get(accountId, id, pageOf(query, QUERIES.trace.limit));
  }

  @Get(ROUTES.span)
  @Needs('read')
  getSpan(
    @Caller() accountId: string,
    @Param('id') id: string,
    @Param('span_id') spanId: string,
  ): Promise<SpanDetail> {
    return this.traces.getSpan(accountId, id, spanId);
  }

  @Get(ROUTES.traceFunctionKeys)
  @Needs('read')
  async listKeys(@Caller() accountId: string): Promise<{ items: TraceFunctionKeySummary[] }> {
    return { items: await this.traces.listKeys(accountId) };
  }

  @Get(ROUTES.facets)
  @Takes('facets')
  @Needs('read')
  listFacetValues(@Caller() accountId: string, @Query() query: QueryString): Promise<FacetValues> {
    return this.traces.listFacetValues(accountId, facetQueryOf(query), pageOf(query).limit);
  }

  @Get(ROUTES.sessions)
  @Takes('sessions')
  @Needs('read')
  listSessions(@Caller() accountId: string, @Query() query: QueryString): Promise<Page<SessionSummary>> {
    return this.traces.listSessions(accountId, scoreFilterOf(query), pageOf(query));
  }
}
