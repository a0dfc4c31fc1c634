import {
  ITEM_FLAGS,
  routePath,
  ROUTES,
  type TestRunItemRecord,
  type TestRunItemSummary,
  VERDICTS,
} from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { pageQuery } from '../../../shared/http/page-query.js';
import type { ScoreRange } from '../score-filter.js';
import { request } from '../../../shared/http/request.js';

const PAGE_SIZE = 50;

export interface ShownItems extends ScoreRange {
  /** A verdict or a flag. All items for any other value. */
  verdict: string;
}

/** The items of a test run without payloads, worst first. */
export function testRunItemsQuery(id: string, { verdict: shown, score, ...bounds }: ShownItems) {
  const verdict = VERDICTS.find((one) => one === shown);
  const flag = ITEM_FLAGS.find((one) => one === shown);
  const range = score === '' ? {} : { score, ...bounds };
  const filter = { verdict, flag, ...range, worst_first: 'true', limit: PAGE_SIZE };
  return pageQuery<TestRunItemSummary>(routePath(ROUTES.testRunItems, { id }), filter);
}

export const acceptPath = (id: string, itemNo: number) =>
  routePath(ROUTES.acceptTestRunItem, { id, item_no: String(itemNo) });

/** One item with its payloads. */
export const testRunItemQuery = (id: string, { item_no, repetition }: TestRunItemSummary) =>
  queryOptions({
    queryKey: [ROUTES.testRunItem, id, item_no, repetition],
    queryFn: ({ signal }) =>
      request<TestRunItemRecord>(routePath(ROUTES.testRunItem, { id, item_no: String(item_no) }), {
        query: { repetition },
        signal,
      }),
  });
