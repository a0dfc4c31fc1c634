import { missingMember } from '@dacapo/protocol';
import type { ServiceAnswer } from '@dacapo/tracer/internal';
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
  async get<T>(path: string, ...members: string[]): Promise<T> {
    return this.bodyOf(await this.send('GET', path), members) as T;
  }

  async post<T>(path: string, body: unknown, ...members: string[]): Promise<T> {
    return this.bodyOf(await this.send('POST', path, JSON.stringify(body)), members) as T;
  }

  async delete(path: string): Promise<void> {
    await this.send('DELETE', path);
  }

  /** Deletes, and tells what became of it. */
  async deleteAll<T>(path: string, ...members: string[]): Promise<T> {
    return this.bodyOf(await this.send('DELETE', path), members) as T;
  }

  private async send(method: string, path: string, body?: string): Promise<ServiceAnswer> {
    const { url, apiKey } = this.connection;
    // Loaded here: `replay` runs in the copy that the application has, and needs no other.
    const { exchange } = await import('@dacapo/tracer/internal');
    let answer: ServiceAnswer;
    try {
      answer = await exchange({ serviceUrl: url, apiKey, timeoutMs: TIMEOUT_MS }, method, path, { body });
    } catch (cause) {
      throw new ServiceUnreachableError(url, { cause });
    }
    const { ok, status, isRedirect, json, detail } = answer;
    if (ok) return answer;
    if (isRedirect) throw this.unexpected(`answered ${status}, a redirect`);
    if (json === undefined) throw this.unexpected(`answered ${status} with something that is no JSON`);
    throw new ServiceRefusedError(status, detail ?? JSON.stringify(json));
  }

  private bodyOf({ json }: ServiceAnswer, members: readonly string[]): unknown {
    if (json === undefined) throw this.unexpected('answered with something that is no JSON');
    const missing = missingMember(json, members);
    if (missing !== undefined) throw this.unexpected(`answered without ${missing}`);
    return json;
  }

  private unexpected(problem: string): UnexpectedAnswerError {
    return new UnexpectedAnswerError(this.connection.url, problem);
  }
}
