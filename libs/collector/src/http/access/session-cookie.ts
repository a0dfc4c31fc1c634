import type { IncomingHttpHeaders } from 'node:http';
import { BROWSER_SESSION_LIFE_S } from '../../accounts/browser-sessions.js';

const NAME = 'dacapo_session';

/** The secret of the browser session. */
export function sessionCookieOf(headers: IncomingHttpHeaders): string | undefined {
  for (const pair of headers.cookie?.split(';') ?? []) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === NAME && value !== undefined && /^[0-9A-Za-z]+$/.test(value)) return value;
  }
  return undefined;
}

/** `Set-Cookie` for a session; an empty secret ends it. */
export function sessionCookie(secret: string, publicUrl: string): string {
  const life = secret === '' ? 0 : BROWSER_SESSION_LIFE_S;
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${NAME}=${secret}; Path=/; Max-Age=${life}; HttpOnly; SameSite=Strict${secure}`;
}
