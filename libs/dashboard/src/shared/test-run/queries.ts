import type { TestRunItemSummary } from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../http/client.js';
import { pagedQuery } from '../http/page-query.js';

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['test run', id],
    queryFn: ({ signal }) => client.testRuns.get({ id }, { signal }),
  });

/** The runs with this key, or all, newest first. */
export const runsQuery = (trace_function_key: string) =>
  pagedQuery(['test runs', trace_function_key], (page, options) =>
    client.testRuns.list({ trace_function_key, ...page }, options),
  );

export const ITEM_KEY = 'test run item';

/** One item with its payloads. */
export const itemQuery = (id: string, { item_no, repetition }: TestRunItemSummary) =>
  queryOptions({
    queryKey: [ITEM_KEY, id, item_no, repetition],
    queryFn: ({ signal }) => client.testRuns.getItem({ id, item_no, repetition }, { signal }),
  });
