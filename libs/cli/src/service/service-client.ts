import { HEADERS, isJsonObject, type JsonValue, missingMember } from '@dacapo/protocol';
import { ServiceRefusedError, ServiceUnreachableError, UnexpectedAnswerError } from '../errors.js';
import type { Connection } from './connection.js';

const TIMEOUT_MS = 60_000;

/**
 * Asks the service on behalf of a command. Every method throws the same:
 *
 * @throws ServiceUnreachableError when nothing answers within a minute
 * @throws ServiceRefusedError when the service answers with an error
 * @throws UnexpectedAnswerError when the answer is none of the service's
 */
export class ServiceClient {
  constructor(private readonly connection: Connection) {}

  /** @param members what the answer must have, or it is none of the service's */
  get<T>(path: string, ...members: string[]): Promise<T> {
    return this.request<T>(members, 'GET', path);
  }

  post<T>(path: string, body: unknown, ...members: string[]): Promise<T> {
    return this.request<T>(members, 'POST', path, body);
  }

  async delete(path: string): Promise<void> {
    await this.send('DELETE', path);
  }

  private async request<T>(
    members: readonly string[],
    method: string,
    path: string,
    body?: unknown,
  ): Promise<T> {
    const { url } = this.connection;
    const answer = parse(url, await this.send(method, path, body));
    const missing = missingMember(answer, members);
    if (missing !== undefined) throw new UnexpectedAnswerError(url, `answered without ${missing}`);
    return answer as T;
  }

  private async send(method: string, path: string, body?: unknown): Promise<string> {
    const { url, apiKey } = this.connection;
    let status: number;
    let text: string;
    try {
      const response = await fetch(url + path, {
        method,
        // Followed, a redirect would take the key along.
        redirect: 'manual',
        headers: {
          [HEADERS.apiKey]: apiKey,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      status = response.status;
      text = await response.text();
    } catch (cause) {
      throw new ServiceUnreachableError(url, { cause });
    }
    if (status >= 200 && status < 300) return text;
    if (status >= 300 && status < 400) throw new UnexpectedAnswerError(url, `answered ${status}, a redirect`);
    throw new ServiceRefusedError(status, detailOf(parse(url, text, status)));
  }
}

function parse(url: string, text: string, status?: number): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    const problem = `answered${status === undefined ? '' : ` ${status}`} with something that is no JSON`;
    throw new UnexpectedAnswerError(url, problem, { cause });
  }
}

function detailOf(body: JsonValue): string {
  return isJsonObject(body) && typeof body.detail === 'string' ? body.detail : JSON.stringify(body);
}
