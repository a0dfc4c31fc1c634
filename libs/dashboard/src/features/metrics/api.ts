import { isSpanGroup, type MetricsRequest } from '@dacapo/protocol';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../shared/http/client.js';
import { startOfRange } from '../../shared/navigation/time-range.js';

export interface MetricsFilter {
  range: string;
  /** `exclude`, `include` or `only` calls of test runs. */
  replays: string;
  /** One row per bucket, or one row for the whole period when absent. */
  bucket?: Bucket;
  /** A key. Empty for whole traces, absent for all keys. */
  key?: string;
  /** One row for each value of this field. */
  groupBy?: string;
  /** Only traces that match, by the parameters of `METRICS_GROUPS`. */
  conditions: Record<string, string>;
}

export type Bucket = 'hour' | 'day';

/** The bucket for a few dozen bars. */
export function chooseBucket(range: string): Bucket {
  return range === '1h' || range === '24h' ? 'hour' : 'day';
}

export const metricsQuery = (filter: MetricsFilter) =>
  queryOptions({
    queryKey: ['metrics', filter],
    queryFn: ({ signal }) => client.metrics.read(toQuery(filter), { signal }),
    placeholderData: keepPreviousData,
  });

/** The filter comes from the page's address: the service refuses what it does not know. */
function toQuery({ range, replays, bucket, key, groupBy, conditions }: MetricsFilter): MetricsRequest {
  const subject = key !== '' ? { trace_function_key: key } : isSpanGroup(groupBy) ? {} : { of: 'traces' };
  return {
    ...conditions,
    since: startOfRange(range),
    replays,
    bucket,
    group_by: groupBy,
    ...subject,
  } as MetricsRequest;
}
