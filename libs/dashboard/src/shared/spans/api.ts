import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client } from '../http/client.js';

/** A trace with all its spans, without their payloads. */
export const traceQuery = (id: string) =>
  queryOptions({
    queryKey: ['trace', id],
    queryFn: async ({ signal }) => {
      const trace = await client.traces.get({ id }, { signal });
      for (let cursor = trace.next_cursor; cursor !== undefined;) {
        const page = await client.traces.get({ id, cursor }, { signal });
        trace.spans.push(...page.spans);
        cursor = page.next_cursor;
      }
      return trace;
    },
  });

/** The same page by page, for traces of any length. */
export const tracePagesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['trace', id, 'pages'],
    queryFn: ({ pageParam: cursor, signal }) => client.traces.get({ id, cursor }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor,
    // Comparing tens of thousands of spans takes longer than showing them again.
    structuralSharing: false,
  });

export const spanQuery = (traceId: string, spanId: string) =>
  queryOptions({
    queryKey: ['span', traceId, spanId],
    queryFn: ({ signal }) => client.traces.getSpan({ id: traceId, span_id: spanId }, { signal }),
  });
