import type { TracerError } from '../../errors.js';
import type { Backlog } from '../backlog.js';
import type { Batch } from '../batching/batch.js';
import type { Counters } from '../counters.js';
import type { WorkingOptions } from '../../options/delivery-options.js';
import type { DropLog } from '../drop-log.js';
import type { ServiceState } from '../record-sink.js';
import type { ServiceRoute } from '../../service/service-route.js';
import type { Timers } from '../timers.js';
import { BodyEncoder, isLoopback } from './body-encoder.js';
import { Dispatcher } from './dispatcher.js';
import { ExitSender } from './exit-sender.js';
import { HttpClient } from './http-client.js';
import { BatchResultApplier } from './batch-result-applier.js';
import { Backoff } from './retry-delay.js';
import { ConcurrencyLimit, ServiceHealth } from './service-health.js';

export interface SenderParts {
  readonly route: ServiceRoute;
  readonly apiKey: string;
  readonly options: WorkingOptions;
  readonly backlog: Backlog;
  readonly counters: Counters;
  readonly drops: DropLog;
  readonly timers: Timers;
  readonly random: () => number;
  readonly report: (error: TracerError) => void;
  readonly load: (batch: Batch) => Promise<Buffer | undefined>;
  /** Whether someone waits for a flush. */
  readonly isAwaited: () => boolean;
  /** Called after each attempt, successful or not. */
  readonly onTried: () => void;
}

/** Sends the batches of a backlog to the service. */
export class Sender {
  /** Private, so that printing an object of the tracer does not show the key. */
  readonly #parts: SenderParts;
  private readonly health: ServiceHealth;
  private readonly client: HttpClient;
  private readonly dispatcher: Dispatcher;
  private readonly applier: BatchResultApplier;

  constructor(parts: SenderParts) {
    this.#parts = parts;
    const { apiKey, ...shared } = parts;
    const { options, backlog, timers, random, route } = parts;
    const backoff = new Backoff(options.retryMinDelayMs, options.retryMaxDelayMs, random);
    const health = (this.health = new ServiceHealth(backoff));
    const limit = new ConcurrencyLimit(options.maxConcurrency);
    const encoder = new BodyEncoder(options.compression === 'auto' && !isLoopback(route.serviceUrl));
    const applier = (this.applier = new BatchResultApplier({ ...shared, health, limit, backoff, encoder }));
    const client = (this.client = new HttpClient({
      route,
      apiKey,
      requestTimeoutMs: options.requestTimeoutMs,
      maxSockets: options.maxConcurrency,
      patienceMs: options.exitTimeoutMs,
      timers,
    }));
    this.dispatcher = new Dispatcher({
      ...shared,
      queue: backlog.queue,
      health,
      limit,
      client,
      encoder,
      apply: (batch, result) => {
        applier.apply(batch, result);
      },
    });
  }

  get service(): ServiceState {
    return this.health.state;
  }

  /** Whether the service can store no batch now, independent of its content. */
  get isAway(): boolean {
    return this.health.isAway;
  }

  get isKnownAway(): boolean {
    return this.health.isKnownAway;
  }

  /** Whether the service refused all waiting batches, and no answer will change soon. */
  get isStuck(): boolean {
    return this.applier.isStuck || this.health.refusesCredentials;
  }

  /** Whether batches were refused since the last one was stored. */
  get isRefused(): boolean {
    return this.health.hasRefused;
  }

  get isIdle(): boolean {
    return this.dispatcher.isIdle;
  }

  /** Whether a batch that is sealed now would be sent immediately. */
  get hasRoom(): boolean {
    return this.dispatcher.hasRoom;
  }

  pump(): void {
    this.dispatcher.pump();
  }

  /** Ends pauses between attempts, except those that the service requested. */
  hurry(): void {
    this.health.hurry();
    for (const batch of this.#parts.backlog.queue) batch.readyAtMs = 0;
    this.dispatcher.pump();
  }

  /**
   * Starts sending all waiting batches at the end of the process.
   *
   * @returns `undefined` if requests need the application's own agent, which another thread cannot use
   * @throws when the process cannot start a thread
   */
  sendAtExit(readBody: (batch: Batch) => Buffer | undefined, timeoutMs: number): ExitSender | undefined {
    const { route, apiKey, backlog } = this.#parts;
    if (route.hasOwnAgent) return undefined;
    return new ExitSender(backlog.queue, {
      route,
      apiKey,
      timeoutMs,
      readBody,
      isStuck: () => this.isStuck,
      apply: (batch, result) => {
        this.applier.apply(batch, result);
      },
    });
  }

  /** Aborts the requests in flight. Their batches keep waiting and are sent again. */
  abort(): void {
    this.client.abort();
  }

  /** Stops retries and closes connections, unless a batch is being sent. The next batch starts them again. */
  stopIfIdle(): void {
    if (!this.dispatcher.isIdle) return;
    this.dispatcher.stop();
    this.client.close();
  }
}
