import { ProtocolError } from '@dacapo/protocol';
import { type Answer, API, type Input } from '@dacapo/protocol/api';
import { Controller } from '@nestjs/common';
import { AcceptanceService } from '../../runs/acceptance-service.js';
import { RunComparisonService } from '../../runs/run-comparison-service.js';
import { RunGridService } from '../../runs/run-grid-service.js';
import { TestRunItemService } from '../../runs/test-run-item-service.js';
import { TestRunService } from '../../runs/test-run-service.js';
import { toScoreFilter } from '../../traces/to-trace-filter.js';
import { Audited } from '../access/audited.decorator.js';
import { toAuthor, Caller, type CallerIdentity, Identity } from '../access/caller.decorator.js';
import { parseScalars } from '../routes/trace-query.js';
import { RequestInput, Handles } from '../routes/handles.decorator.js';
import { toPage } from '../routes/to-page.js';

const routes = API.testRuns;
type Routes = typeof routes;

@Controller()
export class TestRunsController {
  constructor(
    private readonly runs: TestRunService,
    private readonly items: TestRunItemService,
    private readonly acceptances: AcceptanceService,
    private readonly comparisons: RunComparisonService,
    private readonly grids: RunGridService,
  ) {}

  @Handles(routes.create)
  @Audited('test_run.create')
  create(@RequestInput() request: Input<Routes['create']>, @Caller() accountId: string) {
    refuseCombined(request);
    const { rescore_of: rescoreOf, name } = request;
    return rescoreOf === undefined
      ? this.runs.create(accountId, request)
      : this.runs.createRescore(accountId, { rescoreOf, name });
  }

  @Handles(routes.list)
  list(
    @RequestInput() { trace_function_key: traceFunctionKey, ...page }: Input<Routes['list']>,
    @Caller() accountId: string,
  ) {
    return this.runs.list(accountId, { traceFunctionKey }, toPage(page));
  }

  @Handles(routes.get)
  get(@RequestInput() { id }: Input<Routes['get']>, @Caller() accountId: string) {
    return this.runs.get(accountId, id);
  }

  @Handles(routes.compare)
  compare(
    @RequestInput() { id, with: other, relation, ...page }: Input<Routes['compare']>,
    @Caller() accountId: string,
  ) {
    return this.comparisons.compare(accountId, { id, other, relation }, toPage(page));
  }

  @Handles(routes.compareAll)
  compareAll(
    @RequestInput() { ids, agreement, ...page }: Input<Routes['compareAll']>,
    @Caller() accountId: string,
  ) {
    return this.grids.compare(accountId, { ids, agreement }, toPage(page));
  }

  @Handles(routes.listCalls)
  listCalls(
    @RequestInput() { id, left = false, descendants = false, ...page }: Input<Routes['listCalls']>,
    @Caller() accountId: string,
  ) {
    return this.runs.listCalls(accountId, id, { left, descendants }, toPage(page));
  }

  @Handles(routes.report)
  report(@RequestInput() { id, items }: Input<Routes['report']>, @Caller() accountId: string) {
    return this.items.report(accountId, id, items);
  }

  @Handles(routes.listItems)
  listItems(@RequestInput() query: Input<Routes['listItems']>, @Caller() accountId: string) {
    const { id, verdict, flag, new_trace_id: newTraceId, accepted, judged, worst_first: worstFirst } = query;
    const score = toScoreFilter(query, parseScalars);
    const filter = { verdict, flag, newTraceId, accepted, judged, worstFirst, ...score };
    return query.payloads === true
      ? this.items.listRecords(accountId, id, filter, toPage(query))
      : this.items.list(accountId, id, filter, toPage(query));
  }

  @Handles(routes.getItem)
  getItem(
    @RequestInput() { id, item_no, repetition = 0 }: Input<Routes['getItem']>,
    @Caller() accountId: string,
  ) {
    return this.items.get(accountId, id, item_no, repetition);
  }

  @Handles(routes.baselineScores)
  async baselineScores(
    @RequestInput() { hash }: Input<Routes['baselineScores']>,
    @Caller() accountId: string,
  ): Promise<Answer<Routes['baselineScores']>> {
    return { scores: await this.items.baselineScores(accountId, hash) };
  }

  @Handles(routes.accept)
  @Audited('test_run_item.accept')
  accept(
    @RequestInput() { id, item_no, ...request }: Input<Routes['accept']>,
    @Identity() caller: CallerIdentity,
  ) {
    const author = toAuthor(caller);
    return this.acceptances.accept(caller.accountId, id, item_no, { ...request, ...(author && { author }) });
  }

  @Handles(routes.takeBack)
  @Audited('test_run_item.take_back')
  takeBack(
    @RequestInput() { id, item_no, repetition = 0 }: Input<Routes['takeBack']>,
    @Caller() accountId: string,
  ) {
    return this.acceptances.takeBack(accountId, id, item_no, repetition);
  }

  @Handles(routes.beat)
  async beat(
    @RequestInput() { id }: Input<Routes['beat']>,
    @Caller() accountId: string,
  ): Promise<Answer<Routes['beat']>> {
    return { status: await this.runs.beat(accountId, id) };
  }

  @Handles(routes.resume)
  @Audited('test_run.resume')
  resume(@RequestInput() { id }: Input<Routes['resume']>, @Caller() accountId: string) {
    return this.runs.resume(accountId, id);
  }

  @Handles(routes.finish)
  @Audited('test_run.finish')
  finish(@RequestInput() { id, ...request }: Input<Routes['finish']>, @Caller() accountId: string) {
    return this.runs.finish(accountId, id, request);
  }
}

/** @throws ProtocolError */
function refuseCombined(request: Input<Routes['create']>): void {
  const inherited = (['selection', 'dataset', 'baseline', 'repeat'] as const).find((name) => name in request);
  if (request.rescore_of !== undefined && inherited !== undefined)
    throw new ProtocolError(inherited, 'cannot be combined with rescore_of: the rescored run defines it');
  if (request.dataset && request.selection)
    throw new ProtocolError('dataset', 'cannot be combined with selection: pass one of them');
}
