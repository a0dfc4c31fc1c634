import { ROUTES, type TraceSummary } from '@dacapo/protocol';
import { pageQuery } from '../../shared/http/page-query.js';

export interface TraceFilter {
  trace_function_key: string;
  session_id: string;
  status: string;
}

const PAGE_SIZE = 50;

/** What the application did; what test runs played again stands with its test run. */
export const tracesQuery = (filter: TraceFilter) =>
  pageQuery<TraceSummary>(ROUTES.traces, { ...filter, replays: 'exclude', limit: PAGE_SIZE });
