import { routePath, ROUTES, type SpanDetail, type TraceDetail } from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { request } from '../http/request.js';

/** A trace with the shape of its tree; the spans' payloads come one by one. */
export const traceQuery = (id: string) =>
  queryOptions({
    queryKey: [ROUTES.trace, id],
    queryFn: ({ signal }) => request<TraceDetail>(routePath(ROUTES.trace, { id }), { signal }),
  });

export const spanQuery = (traceId: string, spanId: string) =>
  queryOptions({
    queryKey: [ROUTES.span, traceId, spanId],
    queryFn: ({ signal }) =>
      request<SpanDetail>(routePath(ROUTES.span, { id: traceId, span_id: spanId }), { signal }),
  });
