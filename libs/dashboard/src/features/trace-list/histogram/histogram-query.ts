import { isMetricsGroup, type MetricsRequest } from '@dacapo/protocol';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../../shared/http/client.js';
import type { TraceFilter } from '../../../shared/trace-filter/trace-filter.js';
import type { Period } from './bars.js';

/** Counts traces, or calls of the key, by the conditions that metrics know. */
export const histogramQuery = (filter: TraceFilter, { sinceMs, untilMs, bucket }: Period) => {
  const { trace_function_key } = filter;
  const request = {
    ...Object.fromEntries(Object.entries(filter).filter(([name]) => isMetricsGroup(name))),
    since: new Date(sinceMs).toISOString(),
    until: new Date(untilMs).toISOString(),
    bucket,
    ...(trace_function_key === undefined ? { of: 'traces' } : { trace_function_key }),
  } as MetricsRequest;
  return queryOptions({
    queryKey: ['histogram', request],
    queryFn: ({ signal }) => client.metrics.read(request, { signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });
};

/** Names of conditions that the bars do not count by. */
export function listIgnored(filter: TraceFilter): string[] {
  const counted = ['trace_function_key', 'since', 'until', 'sort'];
  return Object.keys(filter).filter((name) => !isMetricsGroup(name) && !counted.includes(name));
}
