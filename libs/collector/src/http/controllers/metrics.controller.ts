import { type MetricsAnswer, parseTimestamp, ROUTES } from '@dacapo/protocol';
import { Controller, Get, Query } from '@nestjs/common';
import { Clock } from '../../clock.js';
import { MetricsService } from '../../metrics/metrics-service.js';
import { HOUR_US } from '../../storage/metrics/contribution.js';
import { DAY_HOURS, type MetricsQuery } from '../../storage/metrics/metrics-query.js';
import { Caller } from '../access/caller.decorator.js';
import { Needs } from '../access/needs.decorator.js';
import { type Query as QueryString, queryFields } from '../query/page-query.js';
import { Takes } from '../query/takes.decorator.js';

/** Hours and days of an answer with rows of each: a month by the hour, two years by the day. */
const MOST_ROWS_OF_TIME = 750;

const DEFAULT_DAYS = 7;

@Controller()
export class MetricsController {
  constructor(
    private readonly metrics: MetricsService,
    private readonly clock: Clock,
  ) {}

  @Get(ROUTES.metrics)
  @Takes('metrics')
  @Needs('read')
  read(@Caller() accountId: string, @Query() query: QueryString): Promise<MetricsAnswer> {
    return this.metrics.read(accountId, queryOf(query, this.clock.nowUs()));
  }
}

function queryOf(query: QueryString, nowUs: number): MetricsQuery {
  const fields = queryFields(query);
  const timeOf = (name: string, otherwise: number): number =>
    fields.has(name) ? (parseTimestamp(fields.timestamp(name)) ?? otherwise) : otherwise;
  const bucket = fields.has('bucket') ? fields.oneOf('bucket', ['hour', 'day']) : undefined;
  const hours = bucket && { hour: 1, day: DAY_HOURS }[bucket];
  const untilUs = timeOf('until', nowUs + 1);
  const sinceUs = timeOf('since', untilUs - DEFAULT_DAYS * DAY_HOURS * HOUR_US);
  if (sinceUs >= untilUs) fields.fail('since', 'must be before until');
  if (hours !== undefined && untilUs - sinceUs > MOST_ROWS_OF_TIME * hours * HOUR_US) {
    fields.fail('bucket', `may make at most ${MOST_ROWS_OF_TIME} of the time. Ask for days, or for less`);
  }
  const key = fields.has('trace_function_key') ? fields.string('trace_function_key') : undefined;
  const ofTraces = fields.has('of') && fields.oneOf('of', ['keys', 'traces']) === 'traces';
  if (ofTraces && key !== undefined) fields.fail('of', 'must be keys where a key is given');
  const replays = fields.has('replays') ? fields.oneOf('replays', ['exclude', 'include', 'only']) : 'exclude';
  return {
    ...{ sinceUs, untilUs, replays },
    ...(hours !== undefined && { hours }),
    ...(key !== undefined && { traceFunctionKey: key }),
    ...(ofTraces && { traceFunctionKey: '' }),
  };
}
