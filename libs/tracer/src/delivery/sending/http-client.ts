import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import { HEADERS, INGEST_PATH } from '@dacapo/protocol';
import { contextStorage } from '../../context/context-storage.js';
import { keepFromHoldingTheProcess, type ServiceRoute } from '../../service/service-route.js';
import type { Batch } from '../batching/batch.js';
import type { Timer, Timers } from '../timers.js';
import { type Answer, readAnswer } from './answer.js';
import type { EncodedBody } from './body-encoder.js';
import { Deadline } from './deadline.js';

/** An answer, and whether the socket still reads the request body, whose memory must then not be reused. */
export interface Exchange {
  readonly answer: Answer;
  readonly bodyInUse: boolean;
}

/** Pause after an abort. A process that only waited for requests has ended by then. */
const REST_MS = 1000;

export interface HttpClientSettings {
  readonly route: ServiceRoute;
  readonly apiKey: string;
  readonly requestTimeoutMs: number;
  readonly maxSockets: number;
  /** How long requests alone may keep the process alive. */
  readonly patienceMs: number;
  readonly timers: Timers;
}

/**
 * Posts batches over its own keep-alive connections, which never keep the process alive.
 *
 * Does not follow redirects, so that the key goes only to `serviceUrl`. Certificates are checked with the process's settings.
 */
export class HttpClient {
  /** Private, so that printing an object of the tracer does not show the key. */
  readonly #settings: HttpClientSettings;
  /** Private too, because its requests contain the key. */
  #agent: Agent | undefined;
  readonly #inFlight = new Set<ClientRequest>();
  private readonly endWatch: EndWatch;
  private restUntilMs = 0;

  constructor(settings: HttpClientSettings) {
    this.#settings = settings;
    this.endWatch = new EndWatch({
      timers: settings.timers,
      patienceMs: settings.patienceMs,
      requests: () => this.#inFlight.size,
      giveUp: () => {
        this.abort();
      },
    });
  }

  /** @throws the network's error when no answer arrives in time */
  async post(batch: Pick<Batch, 'id' | 'records'>, body: EncodedBody): Promise<Exchange> {
    await this.rest();
    try {
      return await this.tryOnce(batch, body);
    } catch (error) {
      // The service closed an idle connection while it was reused. Resending is safe, because the batch id is the same.
      if (error instanceof StaleConnectionError) return this.tryOnce(batch, body);
      throw error;
    }
  }

  /**
   * Aborts the requests in flight, because only they keep the process alive. Later attempts first wait for a second, on a timer that
   * does not keep the process alive.
   */
  abort(): void {
    const { timers } = this.#settings;
    this.restUntilMs = timers.nowMs() + REST_MS;
    for (const request of this.#inFlight) request.destroy(new Error('the process ended'));
  }

  /** Closes connections. A later post opens new ones. */
  close(): void {
    if (!this.#settings.route.hasOwnAgent) this.#agent?.destroy();
    this.#agent = undefined;
  }

  private async rest(): Promise<void> {
    const { timers } = this.#settings;
    const leftMs = this.restUntilMs - timers.nowMs();
    if (leftMs > 0) await new Promise<void>((resolve) => timers.start(resolve, leftMs));
  }

  private tryOnce({ id, records }: Pick<Batch, 'id' | 'records'>, body: EncodedBody): Promise<Exchange> {
    return new Promise((resolve, reject) => {
      let isAnswered = false;
      const request = this.request(id, body, (response) => {
        isAnswered = true;
        response.socket.unref();
        readAnswer(response, records, (answer) => {
          deadline.cancel();
          const bodyInUse = !request.writableFinished;
          if (bodyInUse) request.destroy();
          resolve({ answer, bodyInUse });
        });
      });
      const deadline = new Deadline(this.#settings.timers, this.#settings.requestTimeoutMs, () => {
        request.destroy(new Error(`no answer within ${this.#settings.requestTimeoutMs} ms`));
      });
      this.#inFlight.add(request);
      this.endWatch.start();
      request.on('socket', keepFromHoldingTheProcess);
      request.on('close', () => {
        this.#inFlight.delete(request);
        if (isAnswered) return;
        deadline.cancel();
        // After an unrequested protocol upgrade, Node reports nothing else.
        reject(new Error('the connection was closed without an answer'));
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        deadline.cancel();
        const stale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        reject(stale ? new StaleConnectionError(error.message, { cause: error }) : error);
      });
      request.end(body.bytes);
    });
  }

  private request(
    batchId: string,
    body: EncodedBody,
    onResponse: (response: IncomingMessage) => void,
  ): ClientRequest {
    const { route, apiKey, maxSockets, requestTimeoutMs: timeoutMs } = this.#settings;
    this.#agent ??= route.createAgent(
      { maxSockets, scheduling: 'lifo' },
      { timeoutMs, onSocket: keepFromHoldingTheProcess },
    );
    const headers = {
      [HEADERS.apiKey]: apiKey,
      [HEADERS.batchId]: batchId,
      'content-type': 'application/x-ndjson',
      'content-length': `${body.bytes.length}`,
      ...(body.encoding !== undefined && { 'content-encoding': body.encoding }),
    };
    const options = { ...route.target(INGEST_PATH, headers), agent: this.#agent, method: 'POST' };
    // A batch may be sealed inside a replayed call, in whose context connections may be denied.
    return contextStorage.exit(() => route.request(options, onResponse));
  }
}

class StaleConnectionError extends Error {}

const LOOK_EVERY_MS = 250;
/** Resources of a request that resolves, connects or writes. They cannot be unref'd. */
const OF_A_REQUEST = new Set(['GetAddrInfoReqWrap', 'ConnectWrap', 'TCPConnectWrap', 'WriteWrap']);
/** Types of the standard streams. stdout and stderr never keep a process alive; stdin may. */
const STANDARD_STREAMS = new Set(['PipeWrap', 'TTYWrap']);

interface EndWatchParts {
  readonly timers: Timers;
  /** How long requests alone may keep the process alive. */
  readonly patienceMs: number;
  readonly requests: () => number;
  readonly giveUp: () => void;
}

/**
 * Detects when only our requests keep the process alive, and aborts them so that it can end.
 *
 * If the process does not end, stdin keeps it alive; the watch then stops for good.
 */
class EndWatch {
  private timer: Timer | undefined;
  private aloneSinceMs: number | undefined;
  private isAbandoned = false;

  constructor(private readonly parts: EndWatchParts) {}

  /** Watches while requests are in flight. */
  start(): void {
    if (this.isAbandoned) return;
    this.timer ??= this.parts.timers.start(() => {
      this.timer = undefined;
      this.look();
    }, LOOK_EVERY_MS);
  }

  private look(): void {
    const { timers, patienceMs, requests, giveUp } = this.parts;
    if (requests() === 0) return;
    if (!isAlone(requests())) this.aloneSinceMs = undefined;
    else if (timers.nowMs() - (this.aloneSinceMs ??= timers.nowMs()) >= patienceMs) {
      this.isAbandoned = true;
      giveUp();
    }
    this.start();
  }
}

function isAlone(requests: number): boolean {
  const active = process.getActiveResourcesInfo().filter((type) => !STANDARD_STREAMS.has(type));
  return active.length > 0 && active.length <= requests && active.every((type) => OF_A_REQUEST.has(type));
}
