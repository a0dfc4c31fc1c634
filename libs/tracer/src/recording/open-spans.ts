import type { Clock } from '../context/clock.js';
import type { ActiveSpan } from './active-span.js';

/**
 * Spans that have begun and not ended, oldest first, so that one which never ends is sent all the same.
 *
 * A list through the spans themselves: the table of a `Set` outlives many spans, and until it is collected keeps those
 * alive that left it, which doubled the cost of a short span. Holds no timer while it is empty, and its timer never
 * keeps a process alive.
 */
export class OpenSpans {
  private oldest: ActiveSpan | undefined;
  private newest: ActiveSpan | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly unfinishedAfterMs: number,
    private readonly clock: Clock,
  ) {}

  add(span: ActiveSpan): void {
    span.older = this.newest;
    if (this.newest === undefined) this.oldest = span;
    else this.newest.newer = span;
    this.newest = span;
    this.timer ??= this.schedule();
  }

  /** Does nothing for a span that is not here. */
  delete(span: ActiveSpan): void {
    const { older, newer } = span;
    if (older === undefined && this.oldest !== span) return;
    if (older === undefined) this.oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.newest = older;
    else newer.older = older;
    span.older = span.newer = undefined;
  }

  /** Sends every open span as `unfinished`. It may still end, and is then sent again. */
  sendAll(): void {
    this.sendStartedBefore(Infinity);
  }

  private sendStartedBefore(monotonicMs: number): void {
    for (let span = this.oldest; span !== undefined && span.startedMs <= monotonicMs; span = this.oldest) {
      this.delete(span);
      span.sendUnfinished();
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
