import type { Client } from '@dacapo/client';
import { missingMember, type Page } from '@dacapo/protocol';
import { ServiceResponseError, ServiceUnreachableError } from './errors.js';
import type { ServiceAnswer, ServiceRequest, ServiceSettings } from './exchange.js';

/**
 * Asks the service and waits for its answer. Recording does not go this way: see delivery/.
 *
 * @throws ServiceUnreachableError when no answer came within the timeout, or not all of it, or one from elsewhere.
 */
export class ServiceClient {
  /** Not shown when the client is printed: it holds the key. */
  readonly #settings: ServiceSettings;

  constructor(settings: ServiceSettings) {
    this.#settings = settings;
  }

  get serviceUrl(): string {
    return this.#settings.serviceUrl;
  }

  /** The same client, whose requests end when the signal aborts. */
  until(signal: AbortSignal): ServiceClient {
    return new ServiceClient({ ...this.#settings, signal });
  }

  /**
   * The routes of the service, whose schemas are loaded when first needed.
   *
   * @throws ServiceResponseError from each, when the status is not 2xx, or the body is not what was asked for
   * @internal Not in the published types: those of all routes would be checked in every application.
   */
  async api(): Promise<Client> {
    const { createClient } = await import('@dacapo/client');
    return createClient({
      request: async (method, path, body, members) => {
        const answer = await this.send(method, path, { body: body && JSON.stringify(body) });
        return requireBody(answer, `${method} ${path}`, members);
      },
    });
  }

  /** Posts what is JSON already. @param members that the answer must have, as {@link requireBody} takes them */
  async postJson<T>(path: string, body: string, ...members: string[]): Promise<T> {
    return requireBody(await this.send('POST', path, { body }), `POST ${path}`, members) as T;
  }

  /**
   * Reads a list to its end, page by page.
   *
   * @param list such as `(api, page) => api.datasets.list(page)`
   * @internal See {@link api}.
   */
  async *pages<Item>(
    list: (api: Client, page: { limit: number; cursor: string | undefined }) => Promise<Page<Item>>,
  ): AsyncGenerator<readonly Item[]> {
    const { readPages } = await import('@dacapo/client');
    const api = await this.api();
    yield* readPages((page) => list(api, page));
  }

  async send(method: string, path: string, request: ServiceRequest): Promise<ServiceAnswer> {
    const requested = `${method} ${this.#settings.serviceUrl}${path}`;
    const { exchange } = await import('./exchange.js');
    let answer: ServiceAnswer;
    try {
      answer = await exchange(this.#settings, method, path, request);
    } catch (error) {
      throw new ServiceUnreachableError(requested, error);
    }
    if (answer.isRedirect)
      throw new ServiceUnreachableError(requested, `it was redirected (${answer.status})`);
    return answer;
  }
}

/** @throws ServiceResponseError when the status is not 2xx, or the body is not what was asked for. */
export function requireBody(
  { ok, status, json, detail }: ServiceAnswer,
  request: string,
  members: readonly string[],
): unknown {
  if (!ok || (json === undefined && status !== 204))
    throw new ServiceResponseError(status, detail ?? 'no readable answer', request);
  const missing = missingMember(json, members);
  // Something else answers at the address: a portal, a proxy, another program.
  if (missing !== undefined)
    throw new ServiceResponseError(status, `no answer of a Dacapo service, which has ${missing}`, request);
  return json;
}
