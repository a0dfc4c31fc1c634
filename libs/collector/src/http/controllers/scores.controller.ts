import { type AddScoresAnswer, type Fields, type Page, ROUTES, type ScoreRecord } from '@dacapo/protocol';
import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ScoreService } from '../../scores/score-service.js';
import type { ScoreQuery } from '../../storage/score-log.js';
import { authorOf, Caller, type CallerIdentity, Identity } from '../access/caller.decorator.js';
import { Needs } from '../access/needs.decorator.js';
import { JsonBody } from '../body/body.decorators.js';
import { flagOf, pageOf, type Query as QueryString, queryFields, wholeOf } from '../query/page-query.js';
import { Takes } from '../query/takes.decorator.js';

@Controller()
export class ScoresController {
  constructor(private readonly scores: ScoreService) {}

  @Post(ROUTES.scores)
  @Needs('ingest')
  @HttpCode(200)
  add(@Identity() caller: CallerIdentity, @JsonBody() body: Fields): Promise<AddScoresAnswer> {
    return this.scores.add(caller.accountId, body.array('scores'), authorOf(caller));
  }

  /** The latest by target, name and author, unless `history=true`. */
  @Get(ROUTES.scores)
  @Takes('scores')
  @Needs('read')
  list(@Caller() accountId: string, @Query() query: QueryString): Promise<Page<ScoreRecord>> {
    return this.scores.list(accountId, queryOf(query), pageOf(query));
  }
}

function queryOf(query: QueryString): ScoreQuery {
  const fields = queryFields(query);
  const itemNo = wholeOf(query, 'item_no');
  if (fields.has('span_id') && !fields.has('trace_id')) fields.fail('span_id', 'requires trace_id');
  if (itemNo !== undefined && !fields.has('test_run_id')) {
    fields.fail('item_no', 'requires test_run_id');
  }
  return {
    ...(fields.has('trace_id') && { traceId: fields.string('trace_id') }),
    ...(fields.has('span_id') && { spanId: fields.string('span_id') }),
    ...(fields.has('session_id') && { sessionId: fields.string('session_id') }),
    ...(fields.has('test_run_id') && { testRunId: fields.string('test_run_id') }),
    ...(itemNo !== undefined && { itemNo }),
    ...(fields.has('name') && { name: fields.string('name') }),
    ...(fields.has('author') && { author: fields.string('author') }),
    ...(flagOf(query, 'history') && { history: true }),
  };
}
