import { ROUTES, type TestRunRecord } from '@dacapo/protocol';
import { pageQuery } from '../../../shared/http/page-query.js';

export const testRunsQuery = (traceFunctionKey: string) =>
  pageQuery<TestRunRecord>(ROUTES.testRuns, { trace_function_key: traceFunctionKey, limit: 50 });
