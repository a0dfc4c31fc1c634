/** The source of the time. Tests inject their own. */
export abstract class Clock {
  /** Microseconds since the epoch. */
  abstract nowUs(): number;
}

/** A larger difference means that the machine's time was set, or that it slept. */
const MAX_DRIFT_MS = 5;

/** The machine's time with microseconds, which `Date` lacks. Follows changes of the machine's time. */
export class SystemClock extends Clock {
  private originMs = performance.timeOrigin;

  nowUs(): number {
    const nowMs = Date.now();
    const elapsedMs = performance.now();
    if (Math.abs(this.originMs + elapsedMs - nowMs) > MAX_DRIFT_MS) this.originMs = nowMs - elapsedMs;
    return Math.floor((this.originMs + elapsedMs) * 1000);
  }
}
