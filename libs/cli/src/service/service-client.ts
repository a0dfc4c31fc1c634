import { HEADERS, isJsonObject, type JsonValue } from '@dacapo/protocol';
import { ServiceRefusedError, ServiceUnreachableError, UnexpectedAnswerError } from '../errors.js';
import type { Connection } from './connection.js';

const TIMEOUT_MS = 60_000;

/**
 * Asks the service on behalf of a command. Every method throws the same:
 *
 * @throws ServiceUnreachableError when nothing answers within a minute
 * @throws ServiceRefusedError when the service answers with an error
 * @throws UnexpectedAnswerError when the answer is no JSON
 */
export class ServiceClient {
  constructor(private readonly connection: Connection) {}

  get<T>(path: string): Promise<T> {
    return this.request<T>('GET', path);
  }

  post<T>(path: string, body: unknown): Promise<T> {
    return this.request<T>('POST', path, body);
  }

  async delete(path: string): Promise<void> {
    await this.send('DELETE', path);
  }

  private async request<T>(method: string, path: string, body?: unknown): Promise<T> {
    return parse(this.connection.url, await this.send(method, path, body)) as T;
  }

  private async send(method: string, path: string, body?: unknown): Promise<string> {
    const { url, apiKey } = this.connection;
    let status: number;
    let text: string;
    try {
      const response = await fetch(url + path, {
        method,
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
