import type { TracesRequest } from '@dacapo/protocol';
import { client } from '../../shared/http/client.js';
import { pagedQuery } from '../../shared/http/page-query.js';
import { startOfRange } from '../../shared/navigation/time-range.js';
import type { TraceFilter } from '../../shared/trace-filter/trace-filter.js';

const PAGE_SIZE = 50;

/** Traces of the application. Replayed traces are excluded unless the filter names a test run. */
export const tracesQuery = (filter: TraceFilter) =>
  pagedQuery(['traces', filter], (page, options) =>
    client.traces.list({ ...toRequest(filter), ...page }, options),
  );

/** The filter comes from the page's address: the service refuses what it does not know. */
function toRequest({ range = '', ...filter }: TraceFilter): TracesRequest {
  const since = startOfRange(range);
  return {
    ...(filter['test_run_id'] === undefined && { replays: 'exclude' }),
    ...(since !== undefined && { since }),
    ...filter,
    limit: PAGE_SIZE,
  };
}
