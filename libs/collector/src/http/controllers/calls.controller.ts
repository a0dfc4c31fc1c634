import {
  type Fields,
  type Page,
  type RecordedCallTree,
  type RecordedDescendant,
  ROUTES,
  type SearchCallsRequest,
} from '@dacapo/protocol';
import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { readConditions } from '../../runs/read-selection.js';
import { CallService } from '../../traces/call-service.js';
import { CallTrees } from '../../traces/call-trees.js';
import { Caller } from '../access/caller.decorator.js';
import { Needs } from '../access/needs.decorator.js';
import { JsonBody } from '../body/body.decorators.js';
import { pageOf, type Query as QueryString } from '../query/page-query.js';
import { Takes } from '../query/takes.decorator.js';

const CALLS_IN_A_PAGE = 50;
const MOST_CALLS_IN_A_PAGE = 200;

@Controller()
export class CallsController {
  constructor(
    private readonly calls: CallService,
    private readonly trees: CallTrees,
  ) {}

  @Post(ROUTES.searchCalls)
  @Needs('read')
  @HttpCode(200)
  search(@Caller() accountId: string, @JsonBody() body: Fields): Promise<Page<RecordedCallTree>> {
    return this.calls.search(accountId, searchOf(body));
  }

  @Get(ROUTES.descendants)
  @Takes('page')
  @Needs('read')
  listDescendants(
    @Caller() accountId: string,
    @Param('id') id: string,
    @Param('span_id') spanId: string,
    @Query() query: QueryString,
  ): Promise<Page<RecordedDescendant>> {
    return this.trees.listDescendants(accountId, id, spanId, pageOf(query));
  }
}

function searchOf(body: Fields): SearchCallsRequest & { limit: number } {
  return {
    trace_function_key: body.label('trace_function_key'),
    limit: body.has('limit') ? body.integer('limit', 1, MOST_CALLS_IN_A_PAGE) : CALLS_IN_A_PAGE,
    ...readConditions(body),
    ...(body.has('cursor') && { cursor: body.string('cursor') }),
    ...(body.value('descendants') === true && { descendants: true }),
  };
}
