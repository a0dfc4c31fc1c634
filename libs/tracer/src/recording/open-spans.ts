import type { Clock } from '../context/clock.js';
import type { ActiveSpan } from './active-span.js';

/**
 * Spans that have begun and not ended, oldest first, so that one which never ends is sent all the same.
 *
 * Holds no timer while it is empty, and its timer never keeps a process alive.
 */
export class OpenSpans {
  private readonly spans = new Set<ActiveSpan>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly unfinishedAfterMs: number,
    private readonly clock: Clock,
  ) {}

  add(span: ActiveSpan): void {
    this.spans.add(span);
    this.timer ??= this.schedule();
  }

  delete(span: ActiveSpan): void {
    this.spans.delete(span);
  }

  /** Sends every open span as `unfinished`. It may still end, and is then sent again. */
  sendAll(): void {
    for (const span of this.spans) span.sendUnfinished();
    this.spans.clear();
  }

  private sweep(): void {
    const before = this.clock.monotonicMs() - this.unfinishedAfterMs;
    for (const span of this.spans) {
      if (span.startedMs > before) break;
      span.sendUnfinished();
      this.spans.delete(span);
    }
    this.timer = this.spans.size > 0 ? this.schedule() : undefined;
  }

  private schedule(): NodeJS.Timeout {
    const everyMs = Math.max(10, Math.min(this.unfinishedAfterMs / 4, 60_000));
    return setTimeout(() => {
      this.sweep();
    }, everyMs).unref();
  }
}
