import { missingMember } from '@dacapo/protocol';
import { ServiceResponseError, ServiceUnreachableError } from './errors.js';
import { exchange, type ServiceAnswer, type ServiceRequest, type ServiceSettings } from './exchange.js';

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
   * @param members what the answer must have, or it is none of the service's
   * @throws ServiceResponseError when the status is not 2xx, or the body is not what was asked for.
   */
  async get<T>(path: string, ...members: string[]): Promise<T> {
    return bodyOf(await this.send('GET', path, {}), `GET ${path}`, members) as T;
  }

  /** As {@link get}; without members, an answer may be empty. */
  post<T>(path: string, body: unknown, ...members: string[]): Promise<T> {
    return this.postJson<T>(path, JSON.stringify(body), ...members);
  }

  /** Posts what is JSON already. */
  async postJson<T>(path: string, body: string, ...members: string[]): Promise<T> {
    return bodyOf(await this.send('POST', path, { body }), `POST ${path}`, members) as T;
  }

  async send(method: string, path: string, request: ServiceRequest): Promise<ServiceAnswer> {
    const asked = `${method} ${this.#settings.serviceUrl}${path}`;
    let answer: ServiceAnswer;
    try {
      answer = await exchange(this.#settings, method, path, request);
    } catch (error) {
      throw new ServiceUnreachableError(asked, error);
    }
    if (answer.isRedirect) throw new ServiceUnreachableError(asked, `it was redirected (${answer.status})`);
    return answer;
  }
}

/** @throws ServiceResponseError when the status is not 2xx, or the body is not what was asked for. */
export function bodyOf(
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
