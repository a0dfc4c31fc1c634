import { HEADERS, isJsonObject, missingMember } from '@dacapo/protocol';
import { ServiceResponseError, ServiceUnreachableError } from './errors.js';

export interface ServiceSettings {
  readonly serviceUrl: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
}

export interface ServiceRequest {
  /** JSON. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** Asks the service and waits for its answer. Recording does not go this way: see delivery/. */
export class ServiceClient {
  constructor(private readonly settings: ServiceSettings) {}

  get serviceUrl(): string {
    return this.settings.serviceUrl;
  }

  /** @param members what the answer must have, or it is none of the service's */
  get<T>(path: string, ...members: string[]): Promise<T> {
    return this.json<T>('GET', path, {}, members);
  }

  post<T>(path: string, body: unknown, ...members: string[]): Promise<T> {
    return this.postJson<T>(path, JSON.stringify(body), ...members);
  }

  /** Posts what is JSON already. */
  postJson<T>(path: string, body: string, ...members: string[]): Promise<T> {
    return this.json<T>('POST', path, { body }, members);
  }

  /**
   * The answer's body as JSON; undefined for 204, where nothing is asked of it.
   *
   * @throws ServiceResponseError when the status is not 2xx, or the body is not what was asked for.
   * @throws ServiceUnreachableError when no answer came within the timeout, or not all of it.
   */
  private async json<T>(
    method: string,
    path: string,
    request: ServiceRequest,
    members: readonly string[],
  ): Promise<T> {
    const response = await this.send(method, path, request);
    const text = await response.text().catch((error: unknown) => {
      throw new ServiceUnreachableError(`${method} ${this.settings.serviceUrl}${path}`, error);
    });
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      body = undefined;
    }
    const isReadable = body !== undefined || response.status === 204;
    if (!response.ok || !isReadable) {
      const detail =
        isJsonObject(body) && typeof body['detail'] === 'string' ? body['detail'] : 'no readable answer';
      throw new ServiceResponseError(response.status, detail, `${method} ${path}`);
    }
    const missing = missingMember(body, members);
    if (missing !== undefined) throw foreignAnswer(response.status, missing, `${method} ${path}`);
    return body as T;
  }

  async send(method: string, path: string, { body, headers, signal }: ServiceRequest): Promise<Response> {
    const { serviceUrl, apiKey, timeoutMs } = this.settings;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      return await fetch(serviceUrl + path, {
        method,
        redirect: 'error',
        headers: {
          [HEADERS.apiKey]: apiKey,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body }),
        signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      });
    } catch (error) {
      throw new ServiceUnreachableError(`${method} ${serviceUrl}${path}`, error);
    }
  }
}

/** Something else answers at the address: a portal, a proxy, another program. */
export function foreignAnswer(status: number, missing: string, request: string): ServiceResponseError {
  return new ServiceResponseError(status, `no answer of a Dacapo service, which has ${missing}`, request);
}
