import { isMetricsGroup, isSpanGroup, type MetricsAnswer, type MetricsRequest } from '@dacapo/protocol';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../shared/http/client.js';
import { periodBefore, startOfRange } from '../../shared/navigation/time-range.js';

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
  /** The period of the same length before. */
  isBefore?: true;
  /** Only traces that match, by the parameters of `METRICS_GROUPS`. */
  conditions: Record<string, string>;
}

export const DEFAULT_RANGE = '7d';

/** What the parameters of a page's address choose. Empty ones are as if absent. */
export function readMetricsFilter(
  parameters: Record<'range' | 'replays', string> & Record<string, string>,
): Pick<MetricsFilter, 'range' | 'replays' | 'conditions'> {
  return {
    range: parameters.range || DEFAULT_RANGE,
    replays: parameters.replays || 'exclude',
    conditions: Object.fromEntries(
      Object.entries(parameters).filter(([name, value]) => isMetricsGroup(name) && value !== ''),
    ),
  };
}

export type Bucket = 'hour' | 'day';

/** The bucket for a few dozen bars. */
export function chooseBucket(range: string): Bucket {
  return range === '1h' || range === '24h' ? 'hour' : 'day';
}

export const metricsQuery = (filter: MetricsFilter) =>
  queryOptions({
    queryKey: ['metrics', filter],
    queryFn: ({ signal }): Promise<MetricsAnswer> => client.metrics.read(toQuery(filter), { signal }),
    placeholderData: keepPreviousData,
  });

/** The filter comes from the page's address: the service refuses what it does not know. */
function toQuery({
  range,
  replays,
  bucket,
  key,
  groupBy,
  isBefore,
  conditions,
}: MetricsFilter): MetricsRequest {
  const subject = key !== '' ? { trace_function_key: key } : isSpanGroup(groupBy) ? {} : { of: 'traces' };
  return {
    ...conditions,
    ...(isBefore ? periodBefore(range) : { since: startOfRange(range) }),
    replays,
    bucket,
    group_by: groupBy,
    ...subject,
  } as MetricsRequest;
}

/** The functions with versions, which `tracer.call` runs. */
export const nativeFunctionsQuery = queryOptions({
  queryKey: ['functions'],
  queryFn: async ({ signal }) => (await client.functions.list({}, { signal })).items,
});

/** Newest first. Empty for a function without versions, which the service is not asked for: it would answer 404. */
export const versionsQuery = (name: string) =>
  queryOptions({
    queryKey: ['functions', name],
    queryFn: async ({ signal }) => {
      const { items } = await client.functions.list({}, { signal });
      if (!items.some((one) => one.name === name)) return [];
      return (await client.functions.listVersions({ name }, { signal })).items;
    },
  });

/** A version with its source, which never changes. */
export const sourceQuery = (name: string, version: number) =>
  queryOptions({
    queryKey: ['function source', name, version],
    queryFn: async ({ signal }) => (await client.functions.get({ name, version }, { signal })).source,
    staleTime: Infinity,
  });

const NEWEST_CALLS = 50;
const NEWEST_FAILURES = 200;

/** The newest matching traces with a call of the key. */
export const newestCallsQuery = (
  key: string,
  { range, conditions }: Pick<MetricsFilter, 'range' | 'conditions'>,
  failed: boolean,
) =>
  queryOptions({
    queryKey: ['newest calls', key, range, conditions, failed],
    queryFn: ({ signal }) =>
      client.traces.list(
        {
          ...conditions,
          trace_function_key: key,
          since: startOfRange(range),
          replays: 'exclude',
          limit: failed ? NEWEST_FAILURES : NEWEST_CALLS,
          ...(failed && { status: 'error' as const }),
        },
        { signal },
      ),
  });
