import { type Fields, type Page, ROUTES, type TestRunItemRecord, type TestRunRecord } from '@dacapo/protocol';
import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { readItemReport } from '../../runs/read-item-report.js';
import { TestRunService } from '../../runs/test-run-service.js';
import { Caller } from '../access/caller.decorator.js';
import { JsonBody } from '../body/body.decorators.js';
import { pageOf, type Query as QueryString, queryFields } from '../page-query.js';

const MOST_ITEMS_IN_A_REPORT = 1000;

@Controller()
export class TestRunsController {
  constructor(private readonly runs: TestRunService) {}

  @Post(ROUTES.testRuns)
  create(@Caller() accountId: string, @JsonBody() body: Fields): Promise<TestRunRecord> {
    return this.runs.create(accountId, {
      trace_function_key: body.label('trace_function_key'),
      ...(body.has('name') && { name: body.label('name') }),
    });
  }

  @Get(ROUTES.testRuns)
  list(@Caller() accountId: string, @Query() query: QueryString): Promise<Page<TestRunRecord>> {
    const fields = queryFields(query);
    const filter = fields.has('trace_function_key')
      ? { traceFunctionKey: fields.string('trace_function_key') }
      : {};
    return this.runs.list(accountId, filter, pageOf(query));
  }

  @Get(ROUTES.testRun)
  get(@Caller() accountId: string, @Param('id') id: string): Promise<TestRunRecord> {
    return this.runs.get(accountId, id);
  }

  @Post(ROUTES.testRunItems)
  @HttpCode(204)
  async report(
    @Caller() accountId: string,
    @Param('id') id: string,
    @JsonBody() body: Fields,
  ): Promise<void> {
    const items = body.objects('items');
    if (items.length > MOST_ITEMS_IN_A_REPORT) {
      body.fail('items', `must have at most ${MOST_ITEMS_IN_A_REPORT} entries, not ${items.length}`);
    }
    const reports = items.map((item, index) => readItemReport(`items[${index}]`, item));
    await this.runs.report(accountId, id, reports);
  }

  @Get(ROUTES.testRunItems)
  listItems(
    @Caller() accountId: string,
    @Param('id') id: string,
    @Query() query: QueryString,
  ): Promise<Page<TestRunItemRecord>> {
    return this.runs.listItems(accountId, id, pageOf(query));
  }

  @Post(ROUTES.finishTestRun)
  @HttpCode(200)
  finish(@Caller() accountId: string, @Param('id') id: string): Promise<TestRunRecord> {
    return this.runs.finish(accountId, id);
  }
}
