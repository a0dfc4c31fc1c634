import {
  type Fields,
  isTraceId,
  type Page,
  type RecordedCall,
  type RecordedDescendant,
  ROUTES,
} from '@dacapo/protocol';
import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CallService, type CallSearch } from '../../traces/call-service.js';
import { Caller } from '../access/caller.decorator.js';
import { JsonBody } from '../body/body.decorators.js';
import { pageOf, type Query as QueryString } from '../page-query.js';

const CALLS_IN_A_PAGE = 50;
const MOST_CALLS_IN_A_PAGE = 200;
const MOST_TRACE_IDS = 10_000;

@Controller()
export class CallsController {
  constructor(private readonly calls: CallService) {}

  @Post(ROUTES.searchCalls)
  @HttpCode(200)
  search(@Caller() accountId: string, @JsonBody() body: Fields): Promise<Page<RecordedCall>> {
    return this.calls.search(accountId, searchOf(body));
  }

  @Get(ROUTES.descendants)
  listDescendants(
    @Caller() accountId: string,
    @Param('id') id: string,
    @Param('span_id') spanId: string,
    @Query() query: QueryString,
  ): Promise<Page<RecordedDescendant>> {
    return this.calls.listDescendants(accountId, id, spanId, pageOf(query));
  }
}

function searchOf(body: Fields): CallSearch {
  return {
    trace_function_key: body.label('trace_function_key'),
    limit: body.has('limit') ? body.integer('limit', 1, MOST_CALLS_IN_A_PAGE) : CALLS_IN_A_PAGE,
    ...(body.has('trace_ids') && { trace_ids: traceIdsOf(body) }),
    ...(body.has('cursor') && { cursor: body.string('cursor') }),
  };
}

function traceIdsOf(body: Fields): string[] {
  const ids = body.array('trace_ids');
  if (ids.length > MOST_TRACE_IDS) {
    body.fail('trace_ids', `must have at most ${MOST_TRACE_IDS} entries, not ${ids.length}`);
  }
  return ids.map((id, index) =>
    typeof id === 'string' && isTraceId(id)
      ? id
      : body.fail(`trace_ids[${index}]`, 'must be a UUID in lower case'),
  );
}
