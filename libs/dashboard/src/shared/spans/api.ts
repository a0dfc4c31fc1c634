import { routePath, ROUTES, type SpanDetail, type TraceDetail } from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { request } from '../http/request.js';

/** A trace with all its spans, without their payloads. */
export const traceQuery = (id: string) =>
  queryOptions({
    queryKey: [ROUTES.trace, id],
    queryFn: async ({ signal }) => {
      const read = (cursor?: string): Promise<TraceDetail> => {
        const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
        return request<TraceDetail>(routePath(ROUTES.trace, { id }) + query, { signal });
      };
      const trace = await read();
      for (let cursor = trace.next_cursor; cursor !== undefined;) {
        const page = await read(cursor);
        trace.spans.push(...page.spans);
        cursor = page.next_cursor;
      }
      return trace;
    },
  });

export const spanQuery = (traceId: string, spanId: string) =>
  queryOptions({
    queryKey: [ROUTES.span, traceId, spanId],
    queryFn: ({ signal }) =>
      request<SpanDetail>(routePath(ROUTES.span, { id: traceId, span_id: spanId }), { signal }),
  });
