import {
  type ContextResult,
  type Envelope,
  type GetContextData,
  type GetContextRequest,
  ROUTES,
} from '@dacapo/protocol';
import { request } from '../../../shared/http/request.js';

export async function getContext(search: GetContextRequest): Promise<ContextResult[]> {
  const answer = await request<Envelope<GetContextData>>(ROUTES.getContext, { method: 'POST', body: search });
  return answer.data.results;
}
