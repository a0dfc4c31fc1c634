import type { MessagePort, Worker } from 'node:worker_threads';
import { HEADERS, ROUTES } from '@dacapo/protocol';
import { realEpochMs } from '../../context/clock.js';
import { ServiceUnreachableError } from '../../service/errors.js';
import type { Batch } from '../batching/batch.js';
import type { Try } from './dispatcher.js';
import { type ExitReply, type ExitRequest, type ExitWorkerData, postInWorker } from './exit-worker.js';
import { type Outcome, outcomeOf } from './outcome.js';

/** Batches on their way at once. */
const WINDOW = 4;
const PAUSE_MS = 200;

export interface ExitSenderParts {
  readonly serviceUrl: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
  /** The body of a batch, read at once; `undefined` when it cannot be had. */
  readonly bodyOf: (batch: Batch) => Buffer | undefined;
  readonly apply: (batch: Batch, result: Try) => void;
}

/**
 * Sends batches while the process ends, when nothing asynchronous runs any more: another thread posts them, and this one waits for its
 * answers, `timeoutMs` at most. A batch that the service does not take now is tried again until then; an answer that no
 * repetition changes ends it.
 *
 * @throws what a process says that may start no thread
 */
export function sendAtExit(batches: Iterable<Batch>, parts: ExitSenderParts): void {
  const waiting = [...batches];
  if (waiting.length === 0 || parts.timeoutMs === 0) return;
  const endAtMs = performance.now() + parts.timeoutMs;
  const link = new WorkerLink(parts.serviceUrl, parts.apiKey);
  try {
    const underway = new Map<number, { readonly batch: Batch; readonly body: Buffer }>();
    for (let number = 0; waiting.length > 0 || underway.size > 0;) {
      const leftMs = endAtMs - performance.now();
      if (leftMs <= 0) return;
      while (underway.size < WINDOW && waiting.length > 0) {
        const batch = waiting.shift() as Batch;
        const body = parts.bodyOf(batch);
        if (body === undefined) continue;
        underway.set(++number, { batch, body });
        link.post({ number, batchId: batch.id, body, timeoutMs: Math.ceil(leftMs) });
      }
      for (const reply of link.replies(leftMs)) {
        const tried = underway.get(reply.number);
        if (tried === undefined) continue;
        underway.delete(reply.number);
        const outcome = outcomeOfReply(reply, tried.batch.records);
        parts.apply(tried.batch, { body: tried.body, outcome, reuse: false });
        if (outcome.kind === 'paused') return;
        if (outcome.kind === 'later') {
          waiting.push(tried.batch);
          link.rest(Math.min(PAUSE_MS, leftMs));
        }
      }
    }
  } finally {
    link.close();
  }
}

function outcomeOfReply({ answer, failure }: ExitReply, records: number): Outcome {
  if (answer !== undefined) return outcomeOf(answer, records, false, realEpochMs());
  return { kind: 'later', error: new ServiceUnreachableError('Sending records', new Error(failure)) };
}

/** The thread that posts, as the thread that waits sees it. */
class WorkerLink {
  private readonly counter = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  private readonly port: MessagePort;
  private readonly worker: Worker;
  private seen = 0;

  constructor(serviceUrl: string, apiKey: string) {
    const { MessageChannel, Worker } = process.getBuiltinModule('node:worker_threads');
    const { port1, port2 } = new MessageChannel();
    const url = new URL(serviceUrl);
    const workerData: ExitWorkerData = {
      port: port2,
      replies: this.counter,
      isTls: url.protocol === 'https:',
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      tcpPort: url.port,
      path: `${url.pathname.replace(/\/$/, '')}${ROUTES.ingest}`,
      headers: { [HEADERS.apiKey]: apiKey, 'content-type': 'application/x-ndjson' },
      batchIdHeader: HEADERS.batchId,
    };
    this.port = port1;
    // Bundlers that keep names of functions call a helper for it, which is not there.
    this.worker = new Worker(`const __name = (fn) => fn; (${postInWorker.toString()})();`, {
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

  rest(delayMs: number): void {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, delayMs);
  }

  close(): void {
    this.port.close();
    void this.worker.terminate();
  }
}
