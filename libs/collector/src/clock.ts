/** Where the service reads the time. Tests bring their own. */
export abstract class Clock {
  /** Microseconds since the epoch. */
  abstract nowUs(): number;
}

/** The two clocks differ by more only when the machine's time was set, or it slept. */
const MOST_DRIFT_MS = 5;

/** The machine's time, also after it was set; with microseconds, which `Date` has not. */
export class SystemClock extends Clock {
  private originMs = performance.timeOrigin;

  nowUs(): number {
    const nowMs = Date.now();
    const elapsedMs = performance.now();
    if (Math.abs(this.originMs + elapsedMs - nowMs) > MOST_DRIFT_MS) this.originMs = nowMs - elapsedMs;
    return Math.floor((this.originMs + elapsedMs) * 1000);
  }
}
