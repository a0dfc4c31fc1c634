import { HEADERS, isJsonObject, type JsonValue } from '@dacapo/protocol';
import { fetchOver } from './fetch-over.js';
import { ServiceRoute } from './service-route.js';

export interface ServiceSettings {
  readonly serviceUrl: string;
  /** How the service is reached; default: as the environment says. */
  readonly route?: ServiceRoute;
  readonly apiKey: string;
  readonly timeoutMs: number;
  /** Aborts requests that are under way, before their timeout. */
  readonly signal?: AbortSignal;
}

export interface ServiceRequest {
  /** JSON. */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A whole answer of the service, whatever its status. */
export interface ServiceAnswer {
  readonly status: number;
  /** The status is 2xx. */
  readonly ok: boolean;
  /** It names another address, which is never asked: that would take the key along. */
  readonly isRedirect: boolean;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly text: string;
  /** The text as JSON; `undefined` when it is none. */
  readonly json: JsonValue | undefined;
  /** The service's own sentence about a failure, if it gave one. */
  readonly detail: string | undefined;
}

/**
 * Sends one request and waits for the end of its answer.
 *
 * @throws what `fetch` throws, when no answer came within the timeout, or not all of it
 */
export async function exchange(
  { serviceUrl, apiKey, timeoutMs, signal, route = new ServiceRoute(serviceUrl) }: ServiceSettings,
  method: string,
  path: string,
  { body, headers }: ServiceRequest,
): Promise<ServiceAnswer> {
  // Before `fetch`, which tells the value of a header that it cannot send.
  process.getBuiltinModule('node:http').validateHeaderValue(HEADERS.apiKey, apiKey);
  const timeout = AbortSignal.timeout(timeoutMs);
  const request = {
    method,
    headers: {
      [HEADERS.apiKey]: apiKey,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  };
  const response = route.isPlain
    ? await fetch(serviceUrl + path, { ...request, redirect: 'manual' })
    : await fetchOver(route, path, request);
  const { status, ok } = response;
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  const json = parse(text);
  return {
    status,
    ok,
    isRedirect: status >= 300 && status < 400 && status !== 304,
    headers: response.headers,
    bytes,
    text,
    json,
    detail: isJsonObject(json) && typeof json.detail === 'string' ? json.detail : undefined,
  };
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
