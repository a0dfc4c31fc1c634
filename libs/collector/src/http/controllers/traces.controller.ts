import { LIMITS } from '@dacapo/protocol';
import { type Answer, API, type Input } from '@dacapo/protocol/api';
import { Controller } from '@nestjs/common';
import { TraceService } from '../../traces/trace-service.js';
import { UsualDurations } from '../../traces/usual-durations.js';
import { toScoreFilter, toTraceFilter } from '../../traces/to-trace-filter.js';
import { Caller } from '../access/caller.decorator.js';
import { parseScalars, toFacetQuery } from '../routes/trace-query.js';
import { RequestInput, Handles } from '../routes/handles.decorator.js';
import { toPage } from '../routes/to-page.js';

const { list, get, getSpan, listKeys, listFacets, listSessions } = API.traces;

@Controller()
export class TracesController {
  constructor(
    private readonly traces: TraceService,
    private readonly usual: UsualDurations,
  ) {}

  @Handles(list)
  list(@RequestInput() query: Input<typeof list>, @Caller() accountId: string) {
    return this.traces.list(accountId, toTraceFilter(query, parseScalars), toPage(query), query.sort);
  }

  @Handles(get)
  async get(
    @RequestInput() { id, limit = LIMITS.spansOfTrace, cursor }: Input<typeof get>,
    @Caller() accountId: string,
  ): Promise<Answer<typeof get>> {
    if (cursor !== undefined) return this.traces.get(accountId, id, { limit, cursor });
    const trace = await this.traces.get(accountId, id, { limit });
    return { ...trace, usual_durations: await this.usual.read(accountId, trace) };
  }

  @Handles(getSpan)
  getSpan(@RequestInput() { id, span_id: spanId }: Input<typeof getSpan>, @Caller() accountId: string) {
    return this.traces.getSpan(accountId, id, spanId);
  }

  @Handles(listKeys)
  async listKeys(_: object, @Caller() accountId: string): Promise<Answer<typeof listKeys>> {
    return { items: await this.traces.listKeys(accountId) };
  }

  @Handles(listFacets)
  listFacets(@RequestInput() query: Input<typeof listFacets>, @Caller() accountId: string) {
    return this.traces.listFacetValues(accountId, toFacetQuery(query), toPage(query).limit);
  }

  @Handles(listSessions)
  listSessions(@RequestInput() query: Input<typeof listSessions>, @Caller() accountId: string) {
    return this.traces.listSessions(accountId, toScoreFilter(query, parseScalars), toPage(query));
  }
}
