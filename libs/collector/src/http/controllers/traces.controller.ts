import {
  type Page,
  ROUTES,
  type SessionSummary,
  SPAN_STATUSES,
  type SpanDetail,
  type TraceDetail,
  type TraceFunctionKeySummary,
  type TraceSummary,
} from '@dacapo/protocol';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { TraceService } from '../../traces/trace-service.js';
import type { TraceFilter } from '../../storage/span-store.js';
import { Caller } from '../access/caller.decorator.js';
import { Needs } from '../access/needs.decorator.js';
import { pageOf, type Query as QueryString, queryFields, scoreFilterOf } from '../query/page-query.js';
import { Takes } from '../query/takes.decorator.js';

@Controller()
export class TracesController {
  constructor(private readonly traces: TraceService) {}

  @Get(ROUTES.traces)
  @Takes('traces')
  @Needs('read')
  list(@Caller() accountId: string, @Query() query: QueryString): Promise<Page<TraceSummary>> {
    return this.traces.list(accountId, filterOf(query), pageOf(query));
  }

  @Get(ROUTES.trace)
  @Needs('read')
  get(@Caller() accountId: string, @Param('id') id: string): Promise<TraceDetail> {
    return this.traces.get(accountId, id);
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

  @Get(ROUTES.sessions)
  @Takes('sessions')
  @Needs('read')
  listSessions(@Caller() accountId: string, @Query() query: QueryString): Promise<Page<SessionSummary>> {
    return this.traces.listSessions(accountId, scoreFilterOf(query), pageOf(query));
  }
}

function filterOf(query: QueryString): TraceFilter {
  const fields = queryFields(query);
  return {
    ...(fields.has('trace_function_key') && { traceFunctionKey: fields.string('trace_function_key') }),
    ...(fields.has('session_id') && { sessionId: fields.string('session_id') }),
    ...(fields.has('status') && { status: fields.oneOf('status', SPAN_STATUSES) }),
    ...(fields.has('since') && { since: fields.timestamp('since') }),
    ...(fields.has('until') && { until: fields.timestamp('until') }),
    ...(fields.has('test_run_id') && { testRunId: fields.string('test_run_id') }),
    ...(fields.has('replays') &&
      fields.oneOf('replays', ['include', 'exclude']) === 'exclude' && { withoutReplays: true }),
    ...scoreFilterOf(query),
  };
}
