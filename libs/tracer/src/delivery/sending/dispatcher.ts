import { realEpochMs } from '../../context/clock.js';
import { ServiceUnreachableError } from '../../service/errors.js';
import type { BatchQueue } from '../batching/batch-queue.js';
import type { Batch } from '../batching/batch.js';
import type { Timer, Timers } from '../timers.js';
import type { BodyEncoder } from './body-encoder.js';
import type { HttpClient } from './http-client.js';
import { type BatchResult, readBatchResult } from './batch-result.js';
import type { ConcurrencyLimit, ServiceHealth } from './service-health.js';

/** The result of one attempt to send a batch; `body` is the batch's content. */
export interface Try {
  readonly body: Buffer;
  readonly result: BatchResult;
  /** Whether the memory of `body` may be reused. */
  readonly reuse: boolean;
}

export interface DispatcherParts {
  readonly queue: BatchQueue;
  readonly health: ServiceHealth;
  readonly limit: ConcurrencyLimit;
  readonly client: HttpClient;
  readonly encoder: BodyEncoder;
  readonly timers: Timers;
  /** Loads the body of a batch. Returns `undefined` if nothing is left to send; the batch is then already removed. */
  readonly load: (batch: Batch) => Promise<Buffer | undefined>;
  readonly apply: (batch: Batch, result: Try) => void;
  /** Whether someone waits for a flush. */
  readonly isAwaited: () => boolean;
  /** Called after each attempt, successful or not. */
  readonly onTried: () => void;
}

/** Sends the queued batches. The service's health and the concurrency limit decide when, and how many at once. */
export class Dispatcher {
  private active = 0;
  private wake: Timer | undefined;

  constructor(private readonly parts: DispatcherParts) {}

  get isIdle(): boolean {
    return this.active === 0;
  }

  /** Whether a batch that is sealed now would be sent immediately. */
  get hasRoom(): boolean {
    const { health, limit, timers } = this.parts;
    return health.isReadyForNew(timers.nowMs()) && this.active < health.slots(limit.current);
  }

  /** Starts sending all batches that may be sent now. Never throws. */
  pump(): void {
    const { queue, health, limit, timers } = this.parts;
    while (health.resumeAtMs <= timers.nowMs() && this.active < health.slots(limit.current)) {
      const batch = queue.next(timers.nowMs(), this.readyAtMs, health.hasRefused);
      if (batch === undefined) break;
      batch.inFlight = true;
      this.active++;
      void this.send(batch);
    }
    this.sleep();
  }

  /** Starts no attempts until the next `pump()`. */
  stop(): void {
    this.wake?.cancel();
    this.wake = undefined;
  }

  private readonly readyAtMs = (batch: Batch): number =>
    this.parts.health.readyAtMs(batch, this.parts.isAwaited());

  private async send(batch: Batch): Promise<void> {
    const result = await this.tryOnce(batch).catch(() => null);
    batch.inFlight = false;
    this.active--;
    if (result === null) batch.readyAtMs = this.parts.timers.nowMs() + 1000;
    // An exit listener may have delivered it meanwhile.
    else if (result !== undefined && this.parts.queue.has(batch)) this.parts.apply(batch, result);
    this.pump();
    this.parts.onTried();
  }

  private async tryOnce(batch: Batch): Promise<Try | undefined> {
    const { client, encoder, load } = this.parts;
    const body = await load(batch);
    if (body === undefined) return undefined;
    const encoded = await encoder.encode(body);
    try {
      const { answer, bodyInUse } = await client.post(batch, encoded);
      const result = readBatchResult(answer, batch.records, encoded.encoding !== undefined, realEpochMs());
      return { body, result, reuse: !bodyInUse || encoded.bytes !== body };
    } catch (error) {
      return { body, result: { kind: 'later', error: unreachable(error) }, reuse: false };
    }
  }

  private sleep(): void {
    const { queue, health, limit, timers } = this.parts;
    this.stop();
    const readyAtMs = queue.nextReadyAtMs(this.readyAtMs);
    if (readyAtMs === undefined || this.active >= health.slots(limit.current)) return;
    const delayMs = Math.max(1, readyAtMs - timers.nowMs(), health.resumeAtMs - timers.nowMs());
    this.wake = timers.start(() => {
      this.pump();
    }, delayMs);
  }
}

/** If several addresses failed, Node's AggregateError has a code but no message. */
function unreachable(error: unknown): ServiceUnreachableError {
  const { message, code } = error as NodeJS.ErrnoException;
  return new ServiceUnreachableError(
    'Sending records',
    message === '' ? new Error(code, { cause: error }) : error,
  );
}
