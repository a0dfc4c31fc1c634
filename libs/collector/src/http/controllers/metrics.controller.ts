import { isSpanGroup, parseTimestamp, ProtocolError } from '@dacapo/protocol';
import { API, type Input } from '@dacapo/protocol/api';
import { Controller } from '@nestjs/common';
import { Clock } from '../../clock.js';
import { MetricsService } from '../../metrics/metrics-service.js';
import { HOUR_US } from '../../storage/rules/contribution.js';
import { DAY_HOURS, DAY_US, type MetricsQuery } from '../../storage/ports/metrics-query.js';
import { Caller } from '../access/caller.decorator.js';
import { toTraceFilter } from '../../traces/to-trace-filter.js';
import { RequestInput, Handles } from '../routes/handles.decorator.js';

/** The longest range with one row per hour and per day: about a month and two years. */
const MOST_ROWS_OF_TIME = 750;

const DEFAULT_DAYS = 7;

const { read } = API.metrics;

@Controller()
export class MetricsController {
  constructor(
    private readonly metrics: MetricsService,
    private readonly clock: Clock,
  ) {}

  @Handles(read)
  read(@RequestInput() query: Input<typeof read>, @Caller() accountId: string) {
    return this.metrics.read(accountId, toMetricsQuery(query, this.clock.nowUs()));
  }
}

/** @throws ProtocolError */
function toMetricsQuery(
  {
    since,
    until,
    bucket,
    trace_function_key: key,
    of,
    group_by: groupBy,
    replays = 'exclude',
    ...conditions
  }: Input<typeof read>,
  nowUs: number,
): MetricsQuery {
  const hours = bucket && { hour: 1, day: DAY_HOURS }[bucket];
  const untilUs = parseTimestamp(until ?? '') ?? nowUs + 1;
  const sinceUs = parseTimestamp(since ?? '') ?? untilUs - DEFAULT_DAYS * DAY_US;
  if (sinceUs >= untilUs) throw new ProtocolError('since', 'must be before until');
  if (hours !== undefined && untilUs - sinceUs > MOST_ROWS_OF_TIME * hours * HOUR_US) {
    throw new ProtocolError(
      'bucket',
      `must not divide the period into more than ${MOST_ROWS_OF_TIME} rows. Use days, or a shorter period`,
    );
  }
  const ofTraces = of === 'traces';
  if (ofTraces && key !== undefined) throw new ProtocolError('of', 'must be keys if a key is given');
  if (groupBy !== undefined && key === undefined && of === 'keys')
    throw new ProtocolError('of', 'must be traces if group_by is given without a trace_function_key');
  if (ofTraces && isSpanGroup(groupBy))
    throw new ProtocolError('of', `must be absent if group_by is ${groupBy}, which counts spans`);
  const where = toTraceFilter(conditions);
  return {
    sinceUs,
    untilUs,
    replays,
    ...(hours !== undefined && { hours }),
    ...(key !== undefined && { traceFunctionKey: key }),
    ...(ofTraces && { traceFunctionKey: '' }),
    ...(groupBy !== undefined && { groupBy }),
    ...(Object.keys(where).length > 0 && { where }),
  };
}
