import { type CallerDetail, type JoinAnswer, ROUTES, SIGN_IN_CODE_PREFIX } from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '../../shared/http/api-error.js';
import { request } from '../../shared/http/request.js';

/** The account of the browser session; `null` when nobody is signed in. */
export const accountQuery = queryOptions({
  queryKey: [ROUTES.browserSession],
  queryFn: ({ signal }) =>
    request<CallerDetail>(ROUTES.browserSession, { signal }).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }),
  staleTime: 60_000,
});

/** @param secret an API key, or the sign-in code of a member */
export function signIn(secret: string): Promise<void> {
  const body = secret.startsWith(SIGN_IN_CODE_PREFIX) ? { sign_in_code: secret } : { api_key: secret };
  return request(ROUTES.browserSession, { method: 'POST', body });
}

/** @param token what is behind the `#` of a member's link */
export function join(token: string): Promise<JoinAnswer> {
  return request(ROUTES.join, { method: 'POST', body: { token } });
}

export function signOut(): Promise<void> {
  return request(ROUTES.browserSession, { method: 'DELETE' });
}
