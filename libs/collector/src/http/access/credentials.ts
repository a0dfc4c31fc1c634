import { HEADERS } from '@dacapo/protocol';
import { ForbiddenException } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';

/** The key in `API-Key`, or else in `Authorization: Bearer`; `undefined` when there is none. */
export function readApiKey(headers: IncomingHttpHeaders): string | undefined {
  const own = headers[HEADERS.apiKey];
  const key = typeof own === 'string' ? own.trim() : '';
  if (key !== '') return key;
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization?.trim() ?? '');
  return bearer?.[1];
}

/** Whether a page of this service sent the request: its `Origin` is the public one, or names the host asked for. */
export function isSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const { origin, host } = headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  return new URL(origin).host === host || origin === new URL(publicUrl).origin;
}

/** Where a browser is signed in: no other site may sign it in as somebody else. @throws ForbiddenException */
export function refuseOtherSites(headers: IncomingHttpHeaders, publicUrl: string): void {
  if (headers.origin !== undefined && !isSameOrigin(headers, publicUrl)) {
    throw new ForbiddenException('Sign in from a page of this service only');
  }
}
