import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../context/clock.js';
import type { ExitListener } from '../delivery/exit-hooks.js';
import { clearTimeout, setTimeout } from '../delivery/timers.js';
import type { ActiveSpan } from './active-span.js';

/** How many spans are sent in a row at shutdown before other work runs: a few milliseconds. */
const SPANS_IN_A_TURN = 500;

/**
 * Open spans, oldest first, so that a span that never ends is still sent.
 *
 * Their memory is bounded: beyond the limit, the oldest send their data early.
 *
 * The spans form a linked list. A `Set` keeps deleted spans alive until its table is collected, which doubled the cost of a short span.
 * While the list is empty, no timer runs, and the timer never keeps a process alive.
 */
export class OpenSpans implements ExitListener {
  private oldest: ActiveSpan | undefined;
  private newest: ActiveSpan | undefined;
  /** The oldest span whose start may still be unsent. */
  private oldestWhole: ActiveSpan | undefined;
  private heldBytes = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly unfinishedAfterMs: number,
    private readonly maxBytes: number,
    private readonly clock: Clock,
  ) {}

  /** Whether they hold their maximum of memory, and all starts are sent. */
  get isFull(): boolean {
    return this.heldBytes > this.maxBytes;
  }

  add(span: ActiveSpan): void {
    span.older = this.newest;
    if (this.newest === undefined) this.oldest = span;
    else this.newest.newer = span;
    this.newest = span;
    this.oldestWhole ??= span;
    this.timer ??= this.schedule();
    this.heldBytes += span.heldBytes;
    if (this.heldBytes > this.maxBytes) this.sendBeginnings();
  }

  /** Notes that the span holds more bytes. */
  grow(span: ActiveSpan, bytes: number): void {
    span.heldBytes += bytes;
    if (!this.has(span)) return;
    this.heldBytes += bytes;
    if (bytes > 0 && this.heldBytes > this.maxBytes) this.sendBeginnings();
  }

  /** Does nothing for an unknown span. */
  delete(span: ActiveSpan): void {
    if (!this.has(span)) return;
    const { older, newer } = span;
    if (this.oldestWhole === span) this.oldestWhole = newer;
    this.heldBytes -= span.heldBytes;
    if (older === undefined) this.oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.newest = older;
    else newer.older = older;
    span.older = span.newer = undefined;
  }

  /** Sends all open spans as `unfinished`. A span that ends later is sent again. */
  async sendAll(): Promise<void> {
    const last = this.newest;
    while (last !== undefined && this.has(last)) {
      for (let sent = 0; sent < SPANS_IN_A_TURN && this.has(last); sent++) this.sendOldest();
      if (this.has(last)) await nextTurn();
    }
    if (this.oldest !== undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Sends the open spans: no code runs that could still end them. */
  onBeforeExit(): void {
    this.onExit();
  }

  onExit(): void {
    while (this.oldest !== undefined) this.sendOldest();
  }

  private has(span: ActiveSpan): boolean {
    return span.older !== undefined || this.oldest === span;
  }

  private sendOldest(): void {
    const span = this.oldest;
    if (span === undefined) return;
    this.delete(span);
    span.sendUnfinished();
  }

  private sendBeginnings(): void {
    while (this.heldBytes > this.maxBytes && this.oldestWhole !== undefined) {
      const span = this.oldestWhole;
      this.oldestWhole = span.newer;
      if (span.dataBytes > 0) span.sendBeginning();
    }
  }

  /** Sends the data of spans that started before this time, so that references to them keep no data in memory. */
  private sendStartedBefore(monotonicMs: number): void {
    for (let span = this.oldest; span !== undefined && span.startedMs <= monotonicMs; span = this.oldest) {
      this.delete(span);
      span.sendBeginning();
    }
  }

  private schedule(): NodeJS.Timeout {
    const everyMs = Math.max(10, Math.min(this.unfinishedAfterMs / 4, 60_000));
    return setTimeout(() => {
      this.sendStartedBefore(this.clock.monotonicMs() - this.unfinishedAfterMs);
      this.timer = this.oldest === undefined ? undefined : this.schedule();
    }, everyMs).unref();
  }
}
