import { type MetricsAnswer, ROUTES } from '@dacapo/protocol';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { request } from '../../shared/http/request.js';
import { startOfRange } from '../../shared/navigation/time-range.js';

export interface MetricsFilter {
  range: string;
  /** `exclude`, `include` or `only` calls of test runs. */
  replays: string;
  /** One row per bucket, or one row for the whole period when absent. */
  bucket?: Bucket;
  /** A key. Empty for whole traces, absent for all keys. */
  key?: string;
}

export type Bucket = 'hour' | 'day';

/** The bucket for a few dozen bars. */
export function chooseBucket(range: string): Bucket {
  return range === '1h' || range === '24h' ? 'hour' : 'day';
}

export const metricsQuery = (filter: MetricsFilter) =>
  queryOptions({
    queryKey: [ROUTES.metrics, filter],
    queryFn: ({ signal }) => request<MetricsAnswer>(ROUTES.metrics, { query: toQuery(filter), signal }),
    placeholderData: keepPreviousData,
  });

function toQuery({ range, replays, bucket, key }: MetricsFilter) {
  const subject = key === '' ? { of: 'traces' } : { trace_function_key: key };
  return { since: startOfRange(range), replays, bucket, ...subject };
}
