import { routePath, ROUTES, type SpanRecord } from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { request } from '../../../shared/http/request.js';

export const spanQuery = (traceId: string, spanId: string) =>
  queryOptions({
    queryKey: [ROUTES.span, traceId, spanId],
    queryFn: ({ signal }) =>
      request<SpanRecord>(routePath(ROUTES.span, { id: traceId, span_id: spanId }), { signal }),
  });
