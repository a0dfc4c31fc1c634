import {
  PAIR_RELATIONS,
  routePath,
  ROUTES,
  type RunComparison,
  type TestRunItemRecord,
  type TestRunItemSummary,
  type TestRunRecord,
} from '@dacapo/protocol';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { pageQuery } from '../../shared/http/page-query.js';
import { request } from '../../shared/http/request.js';

const PAGE_SIZE = 50;

/** @param shown a relation; all items for any other value */
export function comparisonQuery(id: string, other: string, shown: string) {
  const relation = PAIR_RELATIONS.find((one) => one === shown);
  const path = routePath(ROUTES.compareTestRun, { id });
  return infiniteQueryOptions({
    queryKey: [path, other, relation],
    queryFn: ({ pageParam, signal }) =>
      request<RunComparison>(path, {
        query: { with: other, relation, limit: PAGE_SIZE, cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor,
  });
}

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: [ROUTES.testRun, id],
    queryFn: ({ signal }) => request<TestRunRecord>(routePath(ROUTES.testRun, { id }), { signal }),
  });

/** The runs with this key, newest first. */
export const runsOfKeyQuery = (key: string) =>
  pageQuery<TestRunRecord>(ROUTES.testRuns, { trace_function_key: key, limit: PAGE_SIZE });

/** One item with its payloads. */
export const itemQuery = (id: string, { item_no, repetition }: TestRunItemSummary) =>
  queryOptions({
    queryKey: [ROUTES.testRunItem, id, item_no, repetition],
    queryFn: ({ signal }) =>
      request<TestRunItemRecord>(routePath(ROUTES.testRunItem, { id, item_no: String(item_no) }), {
        query: { repetition },
        signal,
      }),
  });
