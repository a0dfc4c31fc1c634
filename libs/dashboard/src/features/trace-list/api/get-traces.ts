import { ROUTES, type TraceSummary } from '@dacapo/protocol';
import { pageQuery } from '../../../shared/http/page-query.js';

export interface TraceFilter {
  trace_function_key: string;
  session_id: string;
  status: string;
}

const PAGE_SIZE = 50;

export const tracesQuery = (filter: TraceFilter) =>
  pageQuery<TraceSummary>(ROUTES.traces, { ...filter, limit: PAGE_SIZE });
