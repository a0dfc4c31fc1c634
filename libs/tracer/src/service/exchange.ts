import { HEADERS, isJsonObject, type JsonValue } from '@dacapo/protocol';
import { ServiceRoute } from './service-route.js';

export interface ServiceSettings {
  readonly serviceUrl: string;
  /** The route to the service. Default: from the environment variables. */
  readonly route?: ServiceRoute;
  readonly apiKey: string;
  readonly timeoutMs: number;
  /** Aborts pending requests before their timeout. */
  readonly signal?: AbortSignal;
}

export interface ServiceRequest {
  /** JSON. */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A complete answer of the service, with any status. */
export interface ServiceAnswer {
  readonly status: number;
  /** The status is 2xx. */
  readonly ok: boolean;
  /** Whether it is a redirect. Redirects are never followed, because the key would go to the other address. */
  readonly isRedirect: boolean;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly text: string;
  /** The parsed text; `undefined` if it is not JSON. */
  readonly json: JsonValue | undefined;
  /** The service's error text, if any. */
  readonly detail: string | undefined;
}

/**
 * Sends one request and reads its answer to the end.
 *
 * @throws errors of `fetch`, also if no complete answer arrives within the timeout
 */
export async function exchange(
  { serviceUrl, apiKey, timeoutMs, signal, route = new ServiceRoute(serviceUrl) }: ServiceSettings,
  method: string,
  path: string,
  { body, headers }: ServiceRequest,
): Promise<ServiceAnswer> {
  // Before `fetch`, whose error contains the value of an invalid header.
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

interface FetchedRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/**
 * Sends a request like `fetch`, over routes that `fetch` does not support: a proxy, custom certificates, an agent. It uses a new
 * connection, unless the application supplies the agent.
 */
function fetchOver(
  route: ServiceRoute,
  path: string,
  { method, headers, body, signal }: FetchedRequest,
): Promise<Response> {
  const agent = route.createAgent({ keepAlive: false }, { signal });
  return new Promise((resolve, reject) => {
    const options = { ...route.target(path, headers), method, agent, signal };
    const sent = route.request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headersDistinct } = response;
        const received = new Headers();
        for (const [name, values = []] of Object.entries(headersDistinct))
          for (const value of values) received.append(name, value);
        const isEmpty = status === 204 || status === 304;
        resolve(new Response(isEmpty ? null : Buffer.concat(chunks), { status, headers: received }));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
