import {
  type AcceptItemRequest,
  type Baseline,
  type BaselineScoresAnswer,
  type CreateTestRunRequest,
  type Fields,
  type FinishTestRunRequest,
  isTraceId,
  ITEM_FLAGS,
  type JsonObject,
  LIMITS,
  type Page,
  PAIR_RELATIONS,
  parseAuthor,
  type ReportTestRunItemsAnswer,
  ROUTES,
  type RunComparison,
  type SelectedCall,
  type TestRunHeartbeatAnswer,
  type TestRunItemRecord,
  type TestRunItemSummary,
  type TestRunRecord,
  VERDICTS,
} from '@dacapo/protocol';
import { BadRequestException, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { AcceptanceService } from '../../runs/acceptance-service.js';
import { isSha256 } from '../../runs/read-item-report.js';
import { readSelection } from '../../runs/read-selection.js';
import { RunComparisonService } from '../../runs/run-comparison-service.js';
import { type ListedItemsFilter, TestRunItemService } from '../../runs/test-run-item-service.js';
import { TestRunService } from '../../runs/test-run-service.js';
import { Audited } from '../access/audited.decorator.js';
import { authorOf, Caller, type CallerIdentity, Identity } from '../access/caller.decorator.js';
import { Needs } from '../access/needs.decorator.js';
import { JsonBody } from '../body/body.decorators.js';
import {
  flagOf,
  pageOf,
  type Query as QueryString,
  queryFields,
  scoreFilterOf,
  wholeOf,
} from '../query/page-query.js';
import { Takes } from '../query/takes.decorator.js';

/** Reasons for which a reporter left items out. */
const MOST_REASONS = 100;

@Controller()
export class TestRunsController {
  constructor(
    private readonly runs: TestRunService,
    private readonly items: TestRunItemService,
    private readonly acceptances: AcceptanceService,
    private readonly comparisons: RunComparisonService,
  ) {}

  @Post(ROUTES.testRuns)
  @Audited('test_run.create')
  @Needs('replay')
  create(@Caller() accountId: string, @JsonBody() body: Fields): Promise<TestRunRecord> {
    if (body.has('rescore_of')) return this.runs.createRescore(accountId, readRescore(body));
    return this.runs.create(accountId, {
      trace_function_key: body.label('trace_function_key'),
      ...(body.has('name') && { name: body.label('name') }),
      ...(body.has('selection') && { selection: readSelection(body.child('selection')) }),
      ...(body.has('dataset') && { dataset: readDataset(body) }),
      ...(body.has('baseline') && { baseline: readBaseline(body) }),
      ...(body.has('repeat') && { repeat: body.integer('repeat', 1, LIMITS.repetitions) }),
    });
  }

  @Get(ROUTES.testRuns)
  @Takes('testRuns')
  @Needs('read')
  list(@Caller() accountId: string, @Query() query: QueryString): Promise<Page<TestRunRecord>> {
    const fields = queryFields(query);
    const filter = fields.has('trace_function_key')
      ? { traceFunctionKey: fields.string('trace_function_key') }
      : {};
    return this.runs.list(accountId, filter, pageOf(query));
  }

  @Get(ROUTES.testRun)
  @Needs('read')
  get(@Caller() accountId: string, @Param('id') id: string): Promise<TestRunRecord> {
    return this.runs.get(accountId, id);
  }

  @Get(ROUTES.compareTestRun)
  @Takes('compareTestRun')
  @Needs('read')
  compare(
    @Caller() accountId: string,
    @Param('id') id: string,
    @Query() query: QueryString,
  ): Promise<RunComparison> {
    const fields = queryFields(query);
    const asked = {
      ...{ id, other: fields.string('with') },
      ...(fields.has('relation') && { relation: fields.oneOf('relation', PAIR_RELATIONS) }),
    };
    return this.comparisons.compare(accountId, asked, pageOf(query));
  }

  @Get(ROUTES.testRunCalls)
  @Takes('testRunCalls')
  @Needs('read')
  listCalls(
    @Caller() accountId: string,
    @Param('id') id: string,
    @Query() query: QueryString,
  ): Promise<Page<SelectedCall>> {
    const options = { left: flagOf(query, 'left'), descendants: flagOf(query, 'descendants') };
    return this.runs.listCalls(accountId, id, options, pageOf(query));
  }

  @Post(ROUTES.testRunItems)
  @Needs('replay')
  @HttpCode(200)
  report(
    @Caller() accountId: string,
    @Param('id') id: string,
    @JsonBody('deep') body: Fields,
  ): Promise<ReportTestRunItemsAnswer> {
    return this.items.report(accountId, id, body.array('items'));
  }

  /** Without payloads, unless `payloads=true`. */
  @Get(ROUTES.testRunItems)
  @Takes('testRunItems')
  @Needs('read')
  listItems(
    @Caller() accountId: string,
    @Param('id') id: string,
    @Query() query: QueryString,
  ): Promise<Page<TestRunItemSummary | TestRunItemRecord>> {
    const [filter, page] = [itemFilterOf(query), pageOf(query)];
    return flagOf(query, 'payloads')
      ? this.items.listRecords(accountId, id, filter, page)
      : this.items.list(accountId, id, filter, page);
  }

  /** `repetition` is 0 when absent. */
  @Get(ROUTES.testRunItem)
  @Takes('repetition')
  @Needs('read')
  getItem(
    @Caller() accountId: string,
    @Param('id') id: string,
    @Param('item_no') itemNo: string,
    @Query() query: QueryString,
  ): Promise<TestRunItemRecord> {
    return this.items.get(accountId, id, itemNoOf(itemNo), wholeOf(query, 'repetition') ?? 0);
  }

  @Get(ROUTES.baselineScores)
  @Takes('baselineScores')
  @Needs('read')
  async listBaselineScores(
    @Caller() accountId: string,
    @Query() query: QueryString,
  ): Promise<BaselineScoresAnswer> {
    const hash = queryFields(query).matching('hash', isSha256, '64 hex digits in lower case');
    return { scores: await this.items.baselineScores(accountId, hash) };
  }

  @Post(ROUTES.acceptTestRunItem)
  @Audited('test_run_item.accept')
  @Needs('replay')
  @HttpCode(200)
  accept(
    @Identity() caller: CallerIdentity,
    @Param('id') id: string,
    @Param('item_no') itemNo: string,
    @JsonBody('optional') body: Fields,
  ): Promise<TestRunItemRecord> {
    const author = authorOf(caller);
    const request = { ...readAcceptance(body), ...(author && { author }) };
    return this.acceptances.accept(caller.accountId, id, itemNoOf(itemNo), request);
  }

  /** `repetition` is 0 when absent. */
  @Delete(ROUTES.acceptTestRunItem)
  @Takes('repetition')
  @Audited('test_run_item.take_back')
  @Needs('replay')
  @HttpCode(204)
  takeBack(
    @Caller() accountId: string,
    @Param('id') id: string,
    @Param('item_no') itemNo: string,
    @Query() query: QueryString,
  ): Promise<void> {
    const repetition = wholeOf(query, 'repetition') ?? 0;
    return this.acceptances.takeBack(accountId, id, itemNoOf(itemNo), repetition);
  }

  @Post(ROUTES.testRunHeartbeat)
  @Needs('replay')
  @HttpCode(200)
  async beat(@Caller() accountId: string, @Param('id') id: string): Promise<TestRunHeartbeatAnswer> {
    return { status: await this.runs.beat(accountId, id) };
  }

  @Post(ROUTES.resumeTestRun)
  @Audited('test_run.resume')
  @Needs('replay')
  @HttpCode(200)
  resume(@Caller() accountId: string, @Param('id') id: string): Promise<TestRunRecord> {
    return this.runs.resume(accountId, id);
  }

  @Post(ROUTES.finishTestRun)
  @Audited('test_run.finish')
  @Needs('replay')
  @HttpCode(200)
  finish(
    @Caller() accountId: string,
    @Param('id') id: string,
    @JsonBody('optional') body: Fields,
  ): Promise<TestRunRecord> {
    return this.runs.finish(accountId, id, readFinish(body));
  }
}

function itemNoOf(parameter: string): number {
  return wholeOf({ item_no: parameter }, 'item_no') ?? 0;
}

function readRescore(body: Fields): { rescoreOf: string; name?: string } {
  for (const name of ['selection', 'dataset', 'baseline', 'repeat'])
    if (body.has(name))
      body.fail(name, 'cannot be combined with rescore_of: the run that is rescored has it');
  return {
    rescoreOf: body.matching('rescore_of', isTraceId, 'a UUID in lower case'),
    ...(body.has('name') && { name: body.label('name') }),
  };
}

function readDataset(body: Fields): NonNullable<CreateTestRunRequest['dataset']> {
  if (body.has('selection'))
    body.fail('dataset', 'cannot be combined with selection: a run replays one of them');
  const dataset = body.child('dataset');
  return {
    name: dataset.label('name'),
    ...(dataset.has('version') && { version: dataset.integer('version', 0, Number.MAX_SAFE_INTEGER) }),
  };
}

function readBaseline(body: Fields): Baseline {
  if (typeof body.value('baseline') === 'string') return body.oneOf('baseline', ['recording', 'accepted']);
  return { test_run_id: body.child('baseline').matching('test_run_id', isTraceId, 'a UUID in lower case') };
}

function readAcceptance(body: Fields): AcceptItemRequest {
  return {
    ...(body.has('author') && { author: parseAuthor(body.child('author')) }),
    ...(body.has('note') && { note: body.text('note', LIMITS.explanationLength) }),
    ...(body.has('repetition') && { repetition: body.integer('repetition', 0, LIMITS.repetitions) }),
  };
}

function itemFilterOf(query: QueryString): ListedItemsFilter {
  const fields = queryFields(query);
  return {
    ...(fields.has('verdict') && { verdict: fields.oneOf('verdict', VERDICTS) }),
    ...(fields.has('flag') && { flag: fields.oneOf('flag', ITEM_FLAGS) }),
    ...(fields.has('new_trace_id') && { newTraceId: fields.string('new_trace_id') }),
    ...(fields.has('accepted') && { accepted: flagOf(query, 'accepted') }),
    worstFirst: flagOf(query, 'worst_first'),
    ...scoreFilterOf(query),
  };
}

function readFinish(body: Fields): FinishTestRunRequest {
  return {
    ...(body.has('status') && { status: body.oneOf('status', ['finished', 'interrupted']) }),
    ...(body.has('expected_items') && {
      expected_items: body.integer('expected_items', 0, Number.MAX_SAFE_INTEGER),
    }),
    ...(body.has('skipped') && { skipped: readCounts(body.child('skipped')) }),
    ...(body.has('summary') && { summary: readSummary(body) }),
  };
}

function readSummary(body: Fields): JsonObject {
  const summary = body.object('summary');
  const bytes = Buffer.byteLength(JSON.stringify(summary));
  if (bytes > LIMITS.summaryBytes) {
    throw new BadRequestException(
      `summary must have at most ${LIMITS.summaryBytes} bytes as JSON, not ${bytes}`,
    );
  }
  return summary;
}

function readCounts(fields: Fields): Record<string, number> {
  const names = fields.names().slice(0, MOST_REASONS);
  return Object.fromEntries(names.map((name) => [name, fields.integer(name, 0, Number.MAX_SAFE_INTEGER)]));
}
