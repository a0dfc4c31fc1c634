import type { MessagePort, Worker } from 'node:worker_threads';
import { HEADERS, INGEST_PATH } from '@dacapo/protocol';
import { realEpochMs } from '../../context/clock.js';
import { ServiceUnreachableError } from '../../service/errors.js';
import type { ServiceRoute } from '../../service/service-route.js';
import type { Batch } from '../batching/batch.js';
import { decodeAnswer } from './answer.js';
import type { Try } from './dispatcher.js';
import { EXIT_WORKER_SOURCE, type ExitReply, type ExitRequest, type ExitWorkerData } from './exit-worker.js';
import { type BatchResult, readBatchResult } from './batch-result.js';

/** Number of batches in flight at once. */
const WINDOW = 4;
const PAUSE_MS = 200;

export interface ExitSenderParts {
  readonly route: ServiceRoute;
  readonly apiKey: string;
  readonly timeoutMs: number;
  /** Reads the body of a batch synchronously; `undefined` if it cannot be read. */
  readonly readBody: (batch: Batch) => Buffer | undefined;
  readonly apply: (batch: Batch, result: Try) => void;
  /** Whether the service refused all waiting batches. */
  readonly isStuck: () => boolean;
}

/**
 * Sends batches while the process ends and no asynchronous code runs. Another thread posts them, and this thread blocks until the
 * answers arrive, for at most `timeoutMs` in total. Within that time it retries batches that the service cannot accept yet.
 */
export class ExitSender {
  readonly #parts: ExitSenderParts;
  private readonly waiting: Batch[];
  private readonly underway = new Map<number, { readonly batch: Batch; readonly body: Buffer }>();
  private readonly endAtMs: number;
  private readonly link: WorkerLink;
  private restUntilMs = 0;
  private number = 0;

  /** @throws what Node says where a process may start no thread */
  constructor(batches: Iterable<Batch>, parts: ExitSenderParts) {
    this.#parts = parts;
    this.waiting = [...batches];
    this.endAtMs = performance.now() + parts.timeoutMs;
    this.link = new WorkerLink(parts.route, parts.apiKey);
  }

  /** Sends, and waits for answers for `waitMs` at most. @returns whether more is to be sent, and time is left */
  step(waitMs: number): boolean {
    const { apply, isStuck } = this.#parts;
    const { waiting, underway } = this;
    const leftMs = this.endAtMs - performance.now();
    if (leftMs <= 0 || waiting.length + underway.size === 0 || isStuck()) return false;
    if (performance.now() >= this.restUntilMs) this.fillWindow(leftMs);
    for (const reply of this.link.replies(Math.min(waitMs, leftMs))) {
      const tried = underway.get(reply.number);
      if (tried === undefined) continue;
      underway.delete(reply.number);
      const result = toBatchResult(reply, tried.batch.records);
      apply(tried.batch, { body: tried.body, result, reuse: false });
      if (result.kind !== 'later') continue;
      waiting.push(tried.batch);
      this.restUntilMs = performance.now() + PAUSE_MS;
    }
    return true;
  }

  close(): void {
    this.link.close();
  }

  private fillWindow(leftMs: number): void {
    while (this.underway.size < WINDOW && this.waiting.length > 0) {
      const batch = this.waiting.shift() as Batch;
      const body = this.#parts.readBody(batch);
      if (body === undefined) continue;
      this.underway.set(++this.number, { batch, body });
      this.link.post({ number: this.number, batchId: batch.id, body, timeoutMs: Math.ceil(leftMs) });
    }
  }
}

function toBatchResult({ answer, failure }: ExitReply, records: number): BatchResult {
  if (answer !== undefined) return readBatchResult(decodeAnswer(answer), records, false, realEpochMs());
  return { kind: 'later', error: new ServiceUnreachableError('Sending records', new Error(failure)) };
}

/** The thread that posts, as the thread that waits sees it. */
class WorkerLink {
  private readonly counter = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  private readonly port: MessagePort;
  private readonly worker: Worker;
  private seen = 0;

  constructor(route: ServiceRoute, apiKey: string) {
    const { MessageChannel, Worker } = process.getBuiltinModule('node:worker_threads');
    const { port1, port2 } = new MessageChannel();
    const { isTls, ca, tunnel } = route;
    const request = route.target(INGEST_PATH, {
      [HEADERS.apiKey]: apiKey,
      'content-type': 'application/x-ndjson',
    });
    const data = { port: port2, replies: this.counter, isTls, ca, tunnel, request };
    const workerData: ExitWorkerData = { ...data, batchIdHeader: HEADERS.batchId };
    this.port = port1;
    this.worker = new Worker(EXIT_WORKER_SOURCE, {
      eval: true,
      workerData,
      transferList: [port2],
      execArgv: [],
      stdout: true,
      stderr: true,
    });
    this.worker.unref();
  }

  post(request: ExitRequest): void {
    this.port.postMessage(request);
  }

  /** Waits for replies, at most so long. */
  *replies(timeoutMs: number): Generator<ExitReply> {
    Atomics.wait(this.counter, 0, this.seen, timeoutMs);
    const { receiveMessageOnPort } = process.getBuiltinModule('node:worker_threads');
    for (;;) {
      const received = receiveMessageOnPort(this.port) as { readonly message: ExitReply } | undefined;
      if (received === undefined) return;
      this.seen++;
      yield received.message;
    }
  }

  close(): void {
    this.port.close();
    void this.worker.terminate();
  }
}
