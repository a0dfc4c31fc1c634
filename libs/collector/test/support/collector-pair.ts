import { HEADERS } from '@dacapo/protocol';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CollectorProcess, kill, spawnCollector } from './spawn-collector.js';

/** The collector, or its database, is away: the request may come again. */
class AwayError extends Error {}

interface Answer {
  status: number;
  body: unknown;
}

/** Two collectors on one database, each in a process of its own. The second one may be killed. */
export class CollectorPair {
  private constructor(
    private readonly address: string,
    private readonly apiKey: string,
    private readonly collectors: [CollectorProcess, CollectorProcess],
  ) {}

  static async start(address: string): Promise<CollectorPair> {
    const spawn = () => spawnCollector(address, [], 'ignore');
    const collectors = await Promise.all([spawn(), spawn()]);
    // One of them makes the first account.
    const keys = collectors.flatMap(({ apiKey }) => apiKey ?? []);
    expect(keys).toHaveLength(1);
    return new CollectorPair(address, keys.join(), collectors);
  }

  /** Asks either collector until one answers. */
  async ask(path: string, body?: object | string, headers: Record<string, string> = {}): Promise<Answer> {
    for (;;) {
      try {
        return await this.askOnce(path, body, headers);
      } catch (error) {
        if (!(error instanceof AwayError)) throw error;
        await sleep(20);
      }
    }
  }

  /** Kills the second collector in the middle of whatever it does. */
  killSecond(): Promise<void> {
    return kill(this.collectors[1].child);
  }

  async startSecond(): Promise<void> {
    this.collectors[1] = await spawnCollector(this.address, [], 'ignore');
  }

  async stop(): Promise<void> {
    for (const { child } of this.collectors) await kill(child);
  }

  private async askOnce(
    path: string,
    body: object | string | undefined,
    headers: Record<string, string>,
  ): Promise<Answer> {
    const { url } = this.collectors[Math.random() < 0.5 ? 0 : 1];
    const type = typeof body === 'string' ? 'application/x-ndjson' : 'application/json';
    const response = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { [HEADERS.apiKey]: this.apiKey, 'content-type': type, ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new AwayError('no answer', { cause: error });
    });
    if (response.status === 503 || response.status === 429) throw new AwayError(String(response.status));
    const text = await response.text().catch((error: unknown) => {
      throw new AwayError('half an answer', { cause: error });
    });
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }
}
