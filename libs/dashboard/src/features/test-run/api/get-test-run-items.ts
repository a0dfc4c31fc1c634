import { routePath, ROUTES, type TestRunItemRecord } from '@dacapo/protocol';
import { pageQuery } from '../../../shared/http/page-query.js';

const PAGE_SIZE = 50;

/** The items of a test run in their order. */
export const testRunItemsQuery = (id: string) =>
  pageQuery<TestRunItemRecord>(routePath(ROUTES.testRunItems, { id }), { limit: PAGE_SIZE });
