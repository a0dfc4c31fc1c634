import type { IncomingHttpHeaders } from 'node:http';
import { BROWSER_SESSION_LIFE_S } from '../../accounts/browser-sessions.js';

/**
 * The cookie's name for the service at this address. It contains the port: browsers share cookies between the ports of a host, so two
 * services on one machine would sign each other's browsers out. With HTTPS, only this host can set it.
 */
function nameAt(publicUrl: string): string {
  const { protocol, port } = new URL(publicUrl);
  return `${protocol === 'https:' ? '__Host-' : ''}dacapo_session${port && `_${port}`}`;
}

/** The secret of the browser session. */
export function readSessionCookie(headers: IncomingHttpHeaders, publicUrl: string): string | undefined {
  const wanted = nameAt(publicUrl);
  for (const pair of headers.cookie?.split(';') ?? []) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === wanted && value !== undefined && /^[0-9A-Za-z]+$/.test(value)) return value;
  }
  return undefined;
}

/** `Set-Cookie` for a session; an empty secret ends it. */
export function sessionCookie(secret: string, publicUrl: string): string {
  const life = secret === '' ? 0 : BROWSER_SESSION_LIFE_S;
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${nameAt(publicUrl)}=${secret}; Path=/; Max-Age=${life}; HttpOnly; SameSite=Strict${secure}`;
}
