import { routePath, ROUTES, type TestRunItemRecord } from '@dacapo/protocol';
import { pageQuery } from '../../../shared/http/page-query.js';

const PAGE_SIZE = 50;

/** The items of a test run in their order; of one verdict, or all when it is empty. */
export const testRunItemsQuery = (id: string, verdict: string) =>
  pageQuery<TestRunItemRecord>(routePath(ROUTES.testRunItems, { id }), { verdict, limit: PAGE_SIZE });
