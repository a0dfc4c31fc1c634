import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import { HEADERS, INGEST_PATH } from '@dacapo/protocol';
import { contextStorage } from '../../context/context-storage.js';
import { keepFromHoldingTheProcess, type ServiceRoute } from '../../service/service-route.js';
import type { Batch } from '../batching/batch.js';
import type { Timer, Timers } from '../timers.js';
import { type Answer, readAnswer } from './answer.js';
import type { EncodedBody } from './body-encoder.js';
import { Deadline } from './deadline.js';

/** An answer, and whether the socket still reads the body: then its memory must not be used again. */
export interface Exchange {
  readonly answer: Answer;
  readonly bodyInUse: boolean;
}

/** Whoever was only waiting for a request has ended by then. */
const REST_MS = 1000;

export interface HttpClientSettings {
  readonly route: ServiceRoute;
  readonly apiKey: string;
  readonly requestTimeoutMs: number;
  readonly maxSockets: number;
  /** How long requests may be all that keeps the process up. */
  readonly patienceMs: number;
  readonly timers: Timers;
}

/**
 * Posts batches over connections of its own that are kept open, and that never keep the process alive.
 *
 * Redirects are not followed: the key goes to `serviceUrl` alone. Certificates are checked as the process is set to.
 */
export class HttpClient {
  /** Not shown when an object of the tracer is printed: it holds the key. */
  readonly #settings: HttpClientSettings;
  /** Its requests hold the key too. */
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

  /** @throws what the network says, when there is no answer in time */
  async post(batch: Pick<Batch, 'id' | 'records'>, body: EncodedBody): Promise<Exchange> {
    await this.rest();
    try {
      return await this.tryOnce(batch, body);
    } catch (error) {
      // The service closed an idle connection just as it was used again. Nobody's fault, and safe: the id is the same.
      if (error instanceof StaleConnectionError) return this.tryOnce(batch, body);
      throw error;
    }
  }

  /**
   * Gives up what is on its way, because the process has nothing else to do. A try that began at once would hold it
   * again: later ones wait a second, which holds no process.
   */
  abort(): void {
    const { timers } = this.#settings;
    this.restUntilMs = timers.nowMs() + REST_MS;
    for (const request of this.#inFlight) request.destroy(new Error('the process came to its end'));
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
        // After a switch of protocols that nobody asked for, this is all that is told.
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
    // What brought a batch about may be a replayed call, inside which nothing may connect.
    return contextStorage.exit(() => route.request(options, onResponse));
  }
}

class StaleConnectionError extends Error {}

const LOOK_EVERY_MS = 250;
/** What a request has in the event loop while it resolves, connects or writes. No `unref` reaches these. */
const OF_A_REQUEST = new Set(['GetAddrInfoReqWrap', 'ConnectWrap', 'TCPConnectWrap', 'WriteWrap']);
/** Standard output and error, which keep no process up, look like this; so does standard input, which may. */
const STANDARD_STREAMS = new Set(['PipeWrap', 'TTYWrap']);

interface EndWatchParts {
  readonly timers: Timers;
  /** How long requests may be all that keeps the process up. */
  readonly patienceMs: number;
  readonly requests: () => number;
  readonly giveUp: () => void;
}

/**
 * Notices when nothing but requests of ours keeps the process up, and lets it go.
 *
 * The process ends then, unless it was standard input that kept it up: in that case this never looks again.
 */
class EndWatch {
  private timer: Timer | undefined;
  private aloneSinceMs: number | undefined;
  private isAbandoned = false;

  constructor(private readonly parts: EndWatchParts) {}

  /** Watches for as long as there are requests. */
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
