import { type MetricsAnswer, ROUTES } from '@dacapo/protocol';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { request } from '../../shared/http/request.js';
import { startOfRange } from '../../shared/navigation/time-range.js';

export interface MetricsFilter {
  range: string;
  /** `exclude`, `include` or `only`: what test runs played. */
  replays: string;
  /** Rows of each; of all of the time when absent. */
  bucket?: Bucket;
  /** A key; empty for whole traces; absent for every key. */
  key?: string;
}

export type Bucket = 'hour' | 'day';

/** How finely a time is drawn: some dozens of bars. */
export function bucketOf(range: string): Bucket {
  return range === '1h' || range === '24h' ? 'hour' : 'day';
}

export const metricsQuery = (filter: MetricsFilter) =>
  queryOptions({
    queryKey: [ROUTES.metrics, filter],
    queryFn: ({ signal }) => request<MetricsAnswer>(ROUTES.metrics, { query: queryOf(filter), signal }),
    placeholderData: keepPreviousData,
  });

function queryOf({ range, replays, bucket, key }: MetricsFilter) {
  const ofKey = key === '' ? { of: 'traces' } : { trace_function_key: key };
  return { since: startOfRange(range), replays, bucket, ...ofKey };
}
