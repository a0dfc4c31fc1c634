import { SHARED_PAGES } from '@dacapo/protocol';

/** The secret in the address of this page, if it is the page of a share link. */
export const sharedSecret: string | undefined = window.location.pathname.startsWith(SHARED_PAGES)
  ? window.location.pathname.slice(SHARED_PAGES.length)
  : undefined;

const API_ROUTES = '/api/v1/';
const SHARED_ROUTES = `${API_ROUTES}shared/`;

/**
 * The address of a route. On the page of a share link it is always below the secret, so views of that page read what the link shows,
 * even in a browser that is signed in.
 */
export function routeAddress(path: string): string {
  if (sharedSecret === undefined || path.startsWith(SHARED_ROUTES)) return path;
  return path.replace(API_ROUTES, `${SHARED_ROUTES}${sharedSecret}/`);
}
