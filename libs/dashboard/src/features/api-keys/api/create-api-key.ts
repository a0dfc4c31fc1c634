import { type CreatedApiKey, ROUTES } from '@dacapo/protocol';
import { request } from '../../../shared/http/request.js';

export function createApiKey(name: string): Promise<CreatedApiKey> {
  return request(ROUTES.apiKeys, { method: 'POST', body: { name } });
}
