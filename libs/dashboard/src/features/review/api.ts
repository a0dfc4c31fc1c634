import { parseAge, type TraceSummary } from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../../shared/http/client.js';
import { pagedQuery } from '../../shared/http/page-query.js';
import { readLine } from '../../shared/trace-filter/trace-filter.js';

const PAGE_SIZE = 50;
const SCORES_PAGE = 200;
/** Newest scores of a name that are compared. */
export const MOST_SCORES = 5000;

/** Traces that match a query line. @throws QueryLineError */
export const queueQuery = (line: string) =>
  pagedQuery(['review', line], (page, options) => {
    const { since, ...filter } = readLine(line);
    const ageMs = since === undefined ? undefined : parseAge(since);
    return client.traces.list(
      {
        replays: 'exclude',
        ...filter,
        ...(since !== undefined && {
          since: ageMs === undefined ? since : new Date(Date.now() - ageMs).toISOString(),
        }),
        ...page,
        limit: PAGE_SIZE,
      },
      options,
    );
  });

/** The newest scores of a name, of all authors. */
export const namedScoresQuery = (name: string) =>
  pagedQuery(['scores', name], (page, options) =>
    client.scores.list({ name, ...page, limit: SCORES_PAGE }, options),
  );

/** The call that a row of the queue stands for: the matching one, else the root of the trace. */
export const callQuery = ({ id, first_call: match }: TraceSummary) =>
  queryOptions({
    queryKey: ['reviewed call', id, match?.id],
    queryFn: async ({ signal }) => {
      const span_id = match?.id ?? (await findRoot(id, signal));
      return span_id === undefined ? null : client.traces.getSpan({ id, span_id }, { signal });
    },
  });

async function findRoot(id: string, signal: AbortSignal): Promise<string | undefined> {
  const { spans } = await client.traces.get({ id, limit: 1 }, { signal });
  return spans[0]?.id;
}
