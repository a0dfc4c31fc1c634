import { type JoinAnswer, ROUTES, SIGN_IN_CODE_PREFIX } from '@dacapo/protocol';
import { request } from '../../shared/http/request.js';

/** @param secret an API key, or the sign-in code of a member */
export function signIn(secret: string): Promise<void> {
  const body = secret.startsWith(SIGN_IN_CODE_PREFIX) ? { sign_in_code: secret } : { api_key: secret };
  return request(ROUTES.browserSession, { method: 'POST', body });
}

/** @param token the part after `#` of an invitation link */
export function join(token: string): Promise<JoinAnswer> {
  return request(ROUTES.join, { method: 'POST', body: { token } });
}

export function signOut(): Promise<void> {
  return request(ROUTES.browserSession, { method: 'DELETE' });
}
