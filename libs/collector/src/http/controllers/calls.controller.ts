import {
  type Fields,
  isTraceId,
  type Page,
  type RecordedCall,
  ROUTES,
  type SearchCallsRequest,
} from '@dacapo/protocol';
import { Controller, HttpCode, Post } from '@nestjs/common';
import { TraceService } from '../../traces/trace-service.js';
import { Caller } from '../access/caller.decorator.js';
import { JsonBody } from '../body/body.decorators.js';

const CALLS_IN_A_PAGE = 50;
const MOST_CALLS_IN_A_PAGE = 200;
const MOST_TRACE_IDS = 10_000;

@Controller()
export class CallsController {
  constructor(private readonly traces: TraceService) {}

  @Post(ROUTES.searchCalls)
  @HttpCode(200)
  search(@Caller() accountId: string, @JsonBody() body: Fields): Promise<Page<RecordedCall>> {
    return this.traces.searchCalls(accountId, searchOf(body));
  }
}

function searchOf(body: Fields): SearchCallsRequest & { limit: number } {
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
