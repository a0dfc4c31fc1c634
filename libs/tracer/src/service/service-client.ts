import type { Client } from '@dacapo/client';
import { missingMember, type Page } from '@dacapo/protocol';
import type { API, PathTexts, Route } from '@dacapo/protocol/api';
import { ServiceResponseError, ServiceUnreachableError } from './errors.js';
import type { ServiceAnswer, ServiceRequest, ServiceSettings } from './exchange.js';

/**
 * Sends requests to the service and waits for the answers. Records are not sent this way; see delivery/.
 *
 * @throws ServiceUnreachableError when no complete answer of the service arrives within the timeout
 */
export class ServiceClient {
  /** Private, so that printing the client does not show the key. */
  readonly #settings: ServiceSettings;

  constructor(settings: ServiceSettings) {
    this.#settings = settings;
  }

  get serviceUrl(): string {
    return this.#settings.serviceUrl;
  }

  /** Returns a client whose requests also end when the signal aborts. */
  until(signal: AbortSignal): ServiceClient {
    return new ServiceClient({ ...this.#settings, signal });
  }

  /**
   * The routes of the service. Their schemas are loaded at the first use.
   *
   * @throws ServiceResponseError from each route, when the status is not 2xx or the body is not the expected one
   * @internal Not in the published types, because every application would have to check the types of all routes.
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

  /**
   * Returns the path of a route that {@link api} cannot call, because its body is already JSON or its answer is not JSON.
   *
   * @param find such as `({ media }) => media.get`
   * @internal See {@link api}.
   */
  async path<const R extends Pick<Route, 'path'>>(
    find: (routes: typeof API) => R,
    parameters: PathTexts<R>,
  ): Promise<string> {
    const { API, routePath } = await import('@dacapo/protocol/api');
    return routePath(find(API), parameters);
  }

  /** Posts a body that is already JSON. @param members required members of the answer; see {@link requireBody} */
  async postJson<T>(path: string, body: string, ...members: string[]): Promise<T> {
    return requireBody(await this.send('POST', path, { body }), `POST ${path}`, members) as T;
  }

  /**
   * Yields the pages of a list up to its end.
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

/** @throws ServiceResponseError when the status is not 2xx or the body is not the expected one */
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
    throw new ServiceResponseError(
      status,
      `not the answer of a Dacapo service, which has ${missing}`,
      request,
    );
  return json;
}
