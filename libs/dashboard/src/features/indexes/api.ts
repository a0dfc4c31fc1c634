import {
  type ContextResult,
  type Envelope,
  type GetContextData,
  type GetContextRequest,
  type IndexDetail,
  ROUTES,
} from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { request } from '../../shared/http/request.js';

export const indexesQuery = queryOptions({
  queryKey: [ROUTES.indexes],
  queryFn: ({ signal }) => request<{ items: IndexDetail[] }>(ROUTES.indexes, { signal }),
});

export async function getContext(search: GetContextRequest): Promise<ContextResult[]> {
  const answer = await request<Envelope<GetContextData>>(ROUTES.getContext, { method: 'POST', body: search });
  return answer.data.results;
}
