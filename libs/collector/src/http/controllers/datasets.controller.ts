import {
  type AddDatasetVersionAnswer,
  type AddDatasetVersionRequest,
  type DatasetDetail,
  type DatasetItem,
  type DatasetSummary,
  type Fields,
  isDatasetName,
  isTraceId,
  LIMITS,
  type Page,
  ROUTES,
  VERDICTS,
} from '@dacapo/protocol';
import { Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { DatasetService } from '../../datasets/dataset-service.js';
import type { VersionRequest } from '../../datasets/item-copies.js';
import { readSelection } from '../../runs/read-selection.js';
import { Audited } from '../access/audited.decorator.js';
import { Caller } from '../access/caller.decorator.js';
import { Needs } from '../access/needs.decorator.js';
import { JsonBody } from '../body/body.decorators.js';
import { pageOf, type Query as QueryString, wholeOf } from '../query/page-query.js';
import { Takes } from '../query/takes.decorator.js';

const NAME = 'a letter or a digit, then up to 127 letters, digits, dots, dashes and underscores';

@Controller()
export class DatasetsController {
  constructor(private readonly datasets: DatasetService) {}

  @Post(ROUTES.datasets)
  @Audited('dataset.create')
  @Needs('replay')
  create(@Caller() accountId: string, @JsonBody() body: Fields): Promise<DatasetDetail> {
    return this.datasets.create(accountId, {
      name: body.matching('name', isDatasetName, NAME),
      ...(body.has('description') && { description: body.text('description', LIMITS.explanationLength) }),
    });
  }

  @Get(ROUTES.datasets)
  @Takes('page')
  @Needs('read')
  list(@Caller() accountId: string, @Query() query: QueryString): Promise<Page<DatasetSummary>> {
    return this.datasets.list(accountId, pageOf(query));
  }

  @Get(ROUTES.dataset)
  @Needs('read')
  get(@Caller() accountId: string, @Param('name') name: string): Promise<DatasetDetail> {
    return this.datasets.get(accountId, name);
  }

  @Delete(ROUTES.dataset)
  @Audited('dataset.delete')
  @Needs('manage')
  @HttpCode(204)
  delete(@Caller() accountId: string, @Param('name') name: string): Promise<void> {
    return this.datasets.delete(accountId, name);
  }

  @Post(ROUTES.datasetVersions)
  @Audited('dataset_version.create')
  @Needs('replay')
  @HttpCode(200)
  addVersion(
    @Caller() accountId: string,
    @Param('name') name: string,
    @JsonBody() body: Fields,
  ): Promise<AddDatasetVersionAnswer> {
    return this.datasets.addVersion(accountId, name, readVersion(body));
  }

  /** `not_in` is a version: only items that it does not have. */
  @Get(ROUTES.datasetItems)
  @Takes('datasetItems')
  @Needs('read')
  listItems(
    @Caller() accountId: string,
    @Param('name') name: string,
    @Param('version') version: string,
    @Query() query: QueryString,
  ): Promise<Page<DatasetItem>> {
    const known = version === 'latest' ? version : (wholeOf({ version }, 'version') ?? 0);
    const notIn = wholeOf(query, 'not_in');
    const options = { ...(notIn !== undefined && { notIn }) };
    return this.datasets.listItems(accountId, name, known, options, pageOf(query));
  }
}

function readVersion(body: Fields): VersionRequest {
  return {
    ...(body.has('base') && { base: body.integer('base', 0, Number.MAX_SAFE_INTEGER) }),
    ...(body.has('items') && { items: body.array('items') }),
    ...(body.has('from_calls') && { from_calls: readCalls(body.child('from_calls')) }),
    ...(body.has('from_test_run') && { from_test_run: readRun(body.child('from_test_run')) }),
    ...(body.has('remove') && { remove: readList(body, 'remove', isText, 'must be a string') }),
    ...(body.has('note') && { note: body.text('note', LIMITS.explanationLength) }),
  };
}

function readCalls(calls: Fields): NonNullable<AddDatasetVersionRequest['from_calls']> {
  return {
    trace_function_key: calls.label('trace_function_key'),
    selection: calls.has('selection') ? readSelection(calls.child('selection')) : {},
  };
}

function readRun(run: Fields): NonNullable<AddDatasetVersionRequest['from_test_run']> {
  return {
    id: run.matching('id', isTraceId, 'a UUID in lower case'),
    ...(run.has('item_nos') && { item_nos: readList(run, 'item_nos', isItemNo, 'must be a whole number') }),
    ...(run.has('verdict') && { verdict: run.oneOf('verdict', VERDICTS) }),
  };
}

function readList<T>(
  fields: Fields,
  name: string,
  isValid: (value: unknown) => value is T,
  problem: string,
): T[] {
  return fields
    .array(name)
    .map((value, index) => (isValid(value) ? value : fields.fail(`${name}[${index}]`, problem)));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isItemNo(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
