import { routePath, ROUTES } from '@dacapo/protocol';
import { request } from '../../../shared/http/request.js';

export function revokeApiKey(id: string): Promise<void> {
  return request(routePath(ROUTES.apiKey, { id }), { method: 'DELETE' });
}
