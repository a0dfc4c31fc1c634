import { createClient, type Transport } from '@dacapo/client';
import { type ErrorBody, isJsonObject } from '@dacapo/protocol';
import { ApiError } from './api-error.js';
import { routeAddress } from './shared-link.js';

/**
 * Sends a request to the collector that served this page. The session cookie authenticates it.
 *
 * @throws {ApiError} when the request fails, the status is not 2xx, or the body is not JSON.
 */
const request: Transport['request'] = async (method, path, body, _, { signal }) => {
  const response = await send(routeAddress(path), {
    method,
    credentials: 'same-origin',
    headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  if (!response.ok) throw new ApiError(response.status, await readDetail(response));
  if (response.status === 204) return undefined;
  try {
    return (await response.json()) as unknown;
  } catch (cause) {
    throw new ApiError(
      response.status,
      `${path} did not return JSON. Check that no proxy answers in place of the collector.`,
      { cause },
    );
  }
};

/** The routes of the collector that served this page. Calls throw {@link ApiError}. */
export const client = createClient({ request });

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
