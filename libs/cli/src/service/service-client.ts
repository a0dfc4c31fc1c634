import { type Client, createClient } from '@dacapo/client';
import { HEADERS, isJsonObject, missingMember, parseRetryAfter } from '@dacapo/protocol';
import { validateHeaderValue } from 'node:http';
import type { ServiceAnswer } from '@dacapo/tracer/internal';
import { ServiceRefusedError, ServiceUnreachableError, UnexpectedAnswerError } from '../errors.js';
import type { Connection } from './connection.js';

const TIMEOUT_MS = 60_000;

type RefusedAnswer = Pick<ServiceAnswer, 'status' | 'isRedirect' | 'headers' | 'detail'> & { json: unknown };

/**
 * Requests to the service. Every method has these errors:
 *
 * @throws ServiceUnreachableError when nothing answers within a minute
 * @throws ServiceRefusedError when the service answers with an error
 * @throws UnexpectedAnswerError when the answer is not one of the service
 */
export class ServiceClient {
  constructor(private readonly connection: Connection) {}

  /** @param lines NDJSON @param members that the answer must have, else it is unexpected */
  async postLines<T>(path: string, lines: Uint8Array, ...members: string[]): Promise<T> {
    const headers = { 'content-type': 'application/x-ndjson' };
    return this.readBody(
      await this.send('POST', path, new TextDecoder().decode(lines), headers),
      members,
    ) as T;
  }

  /** The routes of the service, with types. */
  get api(): Client {
    return createClient({
      request: async (method, path, body, members) => {
        const answer = await this.send(method, path, body && JSON.stringify(body));
        return answer.status === 204 ? undefined : this.readBody(answer, members);
      },
    });
  }

  /** Streams NDJSON without a timeout. Iterating throws the error of `fetch` when the connection breaks. */
  async stream(path: string): Promise<AsyncIterable<Uint8Array>> {
    const { url, apiKey } = this.connection;
    validateHeaderValue(HEADERS.apiKey, apiKey);
    let response: Response;
    try {
      response = await fetch(url + path, { redirect: 'manual', headers: { [HEADERS.apiKey]: apiKey } });
    } catch (cause) {
      throw new ServiceUnreachableError(url, { cause });
    }
    const { status, ok, headers, body } = response;
    if (ok && body !== null && headers.get('content-type')?.startsWith('application/x-ndjson')) return body;
    if (ok) throw this.unexpected('did not answer with an export');
    const json = await response.json().catch(() => undefined);
    const detail = isJsonObject(json) && typeof json['detail'] === 'string' ? json['detail'] : undefined;
    throw this.refusal({ status, isRedirect: status >= 300 && status < 400, headers, json, detail });
  }

  /** The bytes of an image, a sound or a file; `undefined` if the service does not have them any more. */
  async media(id: string): Promise<Buffer | undefined> {
    try {
      return (await this.send('GET', `/api/v1/media/${id}`)).bytes;
    } catch (error) {
      if (error instanceof ServiceRefusedError && error.status === 404) return undefined;
      throw error;
    }
  }

  private async send(
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<ServiceAnswer> {
    const { url, apiKey } = this.connection;
    // Loaded on use: `replay` runs with the application's copy and needs no other.
    const { exchange } = await import('@dacapo/tracer/internal');
    let answer: ServiceAnswer;
    try {
      answer = await exchange({ serviceUrl: url, apiKey, timeoutMs: TIMEOUT_MS }, method, path, {
        body,
        headers,
      });
    } catch (cause) {
      throw new ServiceUnreachableError(url, { cause });
    }
    if (answer.ok) return answer;
    throw this.refusal(answer);
  }

  private refusal({ status, isRedirect, headers, json, detail }: RefusedAnswer): Error {
    if (isRedirect) return this.unexpected(`answered ${status}, a redirect`);
    if (json === undefined) return this.unexpected(`answered ${status} without JSON`);
    const retryAfterMs = parseRetryAfter(headers.get('retry-after'), Date.now());
    return new ServiceRefusedError(status, detail ?? JSON.stringify(json), {
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  }

  private readBody({ json }: ServiceAnswer, members: readonly string[]): unknown {
    if (json === undefined) throw this.unexpected('answered without JSON');
    const missing = missingMember(json, members);
    if (missing !== undefined) throw this.unexpected(`answered without the field "${missing}"`);
    return json;
  }

  private unexpected(problem: string): UnexpectedAnswerError {
    return new UnexpectedAnswerError(this.connection.url, problem);
  }
}
