import type { SpanSummary, TraceSort, TraceSummary } from '@dacapo/protocol';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { client } from '../../shared/http/client.js';
import { pagedQuery } from '../../shared/http/page-query.js';
import { spanQuery, traceQuery } from '../../shared/spans/api.js';
import { isWholeTurn, readTurn } from './read-turn.js';

const PAGE_SIZE = 50;

/** The traces of a session that are no replays, oldest first. */
export const sessionQuery = (sessionId: string) =>
  pagedQuery(['session', sessionId], (page, options) =>
    listTurns(sessionId, { sort: 'oldest', ...page }, options),
  );

export const listTurns = (
  sessionId: string,
  more: { sort?: TraceSort; cursor?: string | undefined },
  { signal }: { signal: AbortSignal },
) => client.traces.list({ session_id: sessionId, replays: 'exclude', limit: PAGE_SIZE, ...more }, { signal });

/** A turn with its payloads. That of a finished trace is read once. */
export const turnQuery = (queries: QueryClient, { id, status, span_count }: TraceSummary) =>
  queryOptions({
    queryKey: ['turn', id, status, span_count],
    queryFn: async () => {
      // Not what was read a moment ago, when the trace had not ended.
      const now = { staleTime: 0 };
      const { spans } = await queries.query({ ...traceQuery(id), ...now });
      const first = spans.find(({ parent_id: parent }) => parent === undefined) ?? spans[0];
      if (first === undefined) return null;
      const root = await queries.query({ ...spanQuery(id, first.id), ...now });
      const { error } = root.span_data;
      const call = first.type === 'llm' || isWholeTurn(root) ? undefined : findModelCall(spans);
      const model = call && (await queries.query({ ...spanQuery(id, call.id), ...now }));
      return { ...readTurn(root, model), ...(error !== undefined && { error }) };
    },
    staleTime: Infinity,
  });

/** The last model call that is not part of another one. Spans are sorted by start. */
function findModelCall(spans: readonly SpanSummary[]): SpanSummary | undefined {
  const isModel = new Set(spans.flatMap(({ id, type }) => (type === 'llm' ? [id] : [])));
  return spans.findLast(({ type, parent_id: parent = '' }) => type === 'llm' && !isModel.has(parent));
}
