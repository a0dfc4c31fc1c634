import { type ErrorBody, isJsonObject } from '@dacapo/protocol';
import { ApiError } from './api-error.js';

type Query = Record<string, string | number | undefined>;

interface RequestOptions {
  method?: 'GET' | 'POST' | 'DELETE';
  query?: Query;
  body?: unknown;
  signal?: AbortSignal;
}

/**
 * Sends a request to the collector that served this page. The session cookie authenticates it.
 *
 * @throws {ApiError} when the request fails, the status is not 2xx, or the body is not JSON.
 */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const { method = 'GET', query = {}, body, signal } = options;
  const response = await send(path + queryString(query), {
    method,
    credentials: 'same-origin',
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });
  if (!response.ok) throw new ApiError(response.status, await readDetail(response));
  if (response.status === 204) return undefined as T;
  try {
    return (await response.json()) as T;
  } catch (cause) {
    throw new ApiError(
      response.status,
      `${path} did not return JSON. Check that no proxy answers in place of the collector.`,
      { cause },
    );
  }
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    const detail = `The collector at ${window.location.origin} does not respond. Check that it is running.`;
    throw new ApiError(0, detail, { cause });
  }
}

async function readDetail(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined);
  return isJsonObject(body) && typeof (body as Partial<ErrorBody>).detail === 'string'
    ? (body as unknown as ErrorBody).detail
    : `${response.status} ${response.statusText}`.trim();
}

function queryString(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text && `?${text}`;
}
