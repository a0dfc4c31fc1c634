import type { Timers } from '../../src/delivery/timers.js';

/** A clock that stands still until a test moves it. */
export class ManualTimers implements Timers {
  private now = 0;
  private readonly pending = new Set<{ atMs: number; task: () => void }>();

  /** Time until the last waiting task. */
  get longestMs(): number {
    return Math.max(0, ...[...this.pending].map(({ atMs }) => atMs - this.now));
  }

  nowMs(): number {
    return this.now;
  }

  start(task: () => void, delayMs: number) {
    const entry = { atMs: this.now + delayMs, task };
    this.pending.add(entry);
    return { cancel: () => this.pending.delete(entry) };
  }

  /** Moves on by `ms`, running what is due in its order. */
  advance(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const [next] = [...this.pending].filter(({ atMs }) => atMs <= end).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.pending.delete(next);
      this.now = Math.max(this.now, next.atMs);
      next.task();
    }
    this.now = end;
  }
}
