import { ROUTES } from '@dacapo/protocol';
import { request } from '../../../shared/http/request.js';

export function signIn(apiKey: string): Promise<void> {
  return request(ROUTES.browserSession, { method: 'POST', body: { api_key: apiKey } });
}
