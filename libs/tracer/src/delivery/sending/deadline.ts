import { setImmediate, type Timer, type Timers } from '../timers.js';

const SLICES = 4;

/**
 * Runs `expire` after `timeoutMs` in which the event loop ran.
 *
 * The time runs in four slices, so that a blocked loop or a frozen process uses at most one slice, and an
 * answer that arrived meanwhile is read first.
 */
export class Deadline {
  private timer: Timer | undefined;
  private slicesLeft = SLICES;

  constructor(
    private readonly timers: Timers,
    private readonly timeoutMs: number,
    private readonly expire: () => void,
  ) {
    this.startSlice();
  }

  cancel(): void {
    this.timer?.cancel();
    this.slicesLeft = 0;
  }

  private startSlice(): void {
    this.timer = this.timers.start(() => {
      // Answers that are there already are read before setImmediate runs.
      setImmediate(() => {
        if (this.slicesLeft === 0) return;
        if (--this.slicesLeft > 0) this.startSlice();
        else this.expire();
      });
    }, this.timeoutMs / SLICES);
  }
}
