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

/** Whether a page of this service sent the request: its `Origin` is the public URL, or has the requested host. */
export function isSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const { origin, host } = headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  return new URL(origin).host === host || origin === new URL(publicUrl).origin;
}

/** Keeps other sites from signing a browser in as somebody else. @throws ForbiddenException */
export function refuseOtherSites(headers: IncomingHttpHeaders, publicUrl: string): void {
  if (headers.origin !== undefined && !isSameOrigin(headers, publicUrl)) {
    throw new ForbiddenException('Sign in only from a page of this service');
  }
}
