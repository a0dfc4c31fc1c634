import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as timer } from 'node:timers/promises';
import { parseRetryAfter } from '@dacapo/protocol';
import { pageAddress } from './address.js';
import { HttpClient, type HttpAnswer, type Lookup } from './http-client.js';
import { PageError } from './page-error.js';
import { ALLOW_ALL, parseRobots, type Robots } from './robots.js';

export const BOUNDS = {
  redirects: 5,
  /** After the first try, for temporary failures. */
  retries: 3,
  firstRetryMs: 500,
  /** Unanswered pages in a row, after which a host's pages are tried only once. */
  unansweredPages: 3,
  /** A server that asks for a longer wait is left to the next refresh. */
  longestWaitMs: 120_000,
  requestMs: 30_000,
  /** For all requests together. */
  runMs: 60 * 60_000,
  pageBytes: 16 * 1024 * 1024,
  listingBytes: 50 * 1024 * 1024,
  runBytes: 512 * 1024 * 1024,
} as const;

const PRODUCT = 'dacapo';
/** Prefers Markdown: many sites serve pages as Markdown without navigation. */
const ACCEPT =
  'text/markdown, text/html;q=0.9, text/plain;q=0.8, application/json;q=0.8, application/yaml;q=0.8, application/xml;q=0.7, */*;q=0.5';

export interface FetcherOptions {
  /** In the `User-Agent` header. */
  readonly version: string;
  readonly allowPrivate: boolean;
  /** Between the starts of two requests to a host. */
  readonly delayMs: number;
  readonly signal: AbortSignal;
  readonly lookup?: Lookup;
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly nowMs?: () => number;
}

export interface FetchOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly mostBytes?: number;
  /** Whether to follow a redirect to that host. Default: all. */
  readonly isTaken?: (host: string) => boolean;
}

export interface Fetched {
  /** After redirects. */
  readonly url: URL;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A polite crawler: obeys `robots.txt`, spaces its requests, and waits when asked to. */
export class Fetcher {
  private readonly client: HttpClient;
  private readonly signal: AbortSignal;
  private readonly wait: NonNullable<FetcherOptions['wait']>;
  private readonly nowMs: () => number;
  /** By origin. */
  private readonly robots = new Map<string, Promise<Robots>>();
  /** By host: the earliest start of the next request. */
  private readonly nextAtMs = new Map<string, number>();
  /** By host: unanswered pages in a row. */
  private readonly unanswered = new Map<string, number>();
  private bytesLeft: number = BOUNDS.runBytes;

  constructor(private readonly options: FetcherOptions) {
    this.client = new HttpClient({ ...options, timeoutMs: BOUNDS.requestMs });
    this.signal = AbortSignal.any([options.signal, AbortSignal.timeout(BOUNDS.runMs)]);
    this.wait = options.wait ?? ((ms, signal) => timer(ms, undefined, { signal }));
    this.nowMs = options.nowMs ?? Date.now;
  }

  close(): void {
    this.client.close();
  }

  /**
   * @returns an answer with status 200 or 304
   * @throws PageError for any other answer, and when the address must not be fetched
   */
  async fetch(address: URL, { headers = {}, mostBytes, isTaken }: FetchOptions = {}): Promise<Fetched> {
    let url = address;
    for (let hops = 0; hops <= BOUNDS.redirects; hops++) {
      const robots = await this.loadRobots(url);
      if (!robots.allows(url.pathname + url.search)) throw new PageError('gone', 'robots.txt disallows it');
      const answer = await this.get(url, headers, mostBytes, robots.crawlDelayMs);
      const target = redirectTarget(url, answer);
      if (target === undefined) return { ...requireSuccess(answer), url };
      if (isTaken?.(target.host) === false)
        throw new PageError('skipped', `redirects to ${target.host}; --also ${target.host} takes its pages`);
      url = target;
    }
    throw new PageError('skipped', `redirects more than ${BOUNDS.redirects} times`);
  }

  private loadRobots({ origin }: URL): Promise<Robots> {
    const known = this.robots.get(origin) ?? this.fetchRobots(origin);
    this.robots.set(origin, known);
    return known;
  }

  /** A missing `robots.txt` (4xx) allows everything, an unavailable one (5xx) nothing (RFC 9309, 2.3.1). */
  private async fetchRobots(origin: string): Promise<Robots> {
    let url = new URL('/robots.txt', origin);
    for (let hops = 0; hops <= BOUNDS.redirects; hops++) {
      const answer = await this.get(url, {}).catch((error: unknown) => {
        if (!(error instanceof PageError) || error.failure === 'skipped') throw error;
        throw new PageError('failed', `robots.txt: ${error.message}`, { cause: error });
      });
      const { status, body } = answer;
      const target = redirectTarget(url, answer);
      if (target === undefined) {
        if (status === 200) return parseRobots(body.toString('utf8'), PRODUCT);
        if (status >= 400 && status < 500 && status !== 429) return ALLOW_ALL;
        throw new PageError('failed', `robots.txt: the server answered ${status}`);
      }
      url = target;
    }
    return ALLOW_ALL;
  }

  private async get(
    url: URL,
    headers: Readonly<Record<string, string>>,
    mostBytes: number = BOUNDS.pageBytes,
    crawlDelayMs = 0,
  ): Promise<HttpAnswer> {
    for (let tries = 0; ; tries++) {
      await this.waitForTurn(url.host, Math.max(this.options.delayMs, crawlDelayMs));
      const answer = await this.attempt(url, headers, mostBytes);
      const unanswered = answer instanceof PageError ? (this.unanswered.get(url.host) ?? 0) : 0;
      const isLast = tries === BOUNDS.retries || unanswered >= BOUNDS.unansweredPages;
      if (!(answer instanceof PageError)) this.unanswered.delete(url.host);
      else if (isLast) this.unanswered.set(url.host, unanswered + 1);
      if (answer instanceof PageError) {
        if (answer.failure !== 'failed' || isLast) throw answer;
      } else if (!isTemporary(answer.status) || isLast) return answer;
      const retryAfterMs =
        answer instanceof PageError
          ? undefined
          : parseRetryAfter(answer.headers['retry-after'], this.nowMs());
      const waitMs = retryAfterMs ?? BOUNDS.firstRetryMs * 2 ** tries;
      if (waitMs > BOUNDS.longestWaitMs)
        throw new PageError('failed', `the server asks to wait ${Math.round(waitMs / 1000)} s`);
      this.postpone(url.host, waitMs);
    }
  }

  private async attempt(
    url: URL,
    headers: Readonly<Record<string, string>>,
    mostBytes: number,
  ): Promise<HttpAnswer | PageError> {
    if (this.bytesLeft <= 0)
      throw new PageError('failed', `more than ${BOUNDS.runBytes / 1024 / 1024} MiB in all`);
    try {
      const all = {
        accept: ACCEPT,
        'user-agent': `${PRODUCT}/${this.options.version} (indexes documentation)`,
        ...headers,
      };
      const answer = await this.client.get(url, all, mostBytes, this.signal);
      this.bytesLeft -= answer.body.length;
      return answer;
    } catch (error) {
      if (error instanceof PageError) return error;
      if (this.signal.aborted) throw this.stopped();
      throw error;
    }
  }

  /** Waits until a request to the host may start. */
  private async waitForTurn(host: string, delayMs: number): Promise<void> {
    for (;;) {
      if (this.signal.aborted) throw this.stopped();
      const now = this.nowMs();
      const at = Math.max(now, this.nextAtMs.get(host) ?? 0);
      if (at <= now) {
        this.nextAtMs.set(host, now + delayMs);
        return;
      }
      await this.wait(at - now, this.signal).catch(() => undefined);
    }
  }

  private postpone(host: string, ms: number): void {
    this.nextAtMs.set(host, Math.max(this.nextAtMs.get(host) ?? 0, this.nowMs() + ms));
  }

  private stopped(): PageError {
    const reason = this.options.signal.aborted ? 'stopped' : `${BOUNDS.runMs / 60_000} minutes have passed`;
    return new PageError('failed', reason);
  }
}

function isTemporary(status: number): boolean {
  return status === 429 || status === 502 || status === 503 || status === 504;
}

function redirectTarget(url: URL, { status, headers }: HttpAnswer): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined;
  const target = pageAddress(headers.location ?? '', url);
  if (target === undefined) throw new PageError('skipped', 'redirects to an invalid address');
  return target;
}

function requireSuccess(answer: HttpAnswer): HttpAnswer {
  const { status } = answer;
  if (status === 200 || status === 304) return answer;
  if (status === 404 || status === 410) throw new PageError('gone', `the server answered ${status}`);
  throw new PageError(
    status >= 500 || status === 429 ? 'failed' : 'skipped',
    `the server answered ${status}`,
  );
}
