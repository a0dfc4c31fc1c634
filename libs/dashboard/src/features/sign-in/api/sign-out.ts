import { ROUTES } from '@dacapo/protocol';
import { request } from '../../../shared/http/request.js';

export function signOut(): Promise<void> {
  return request(ROUTES.browserSession, { method: 'DELETE' });
}
