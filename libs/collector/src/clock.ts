/** Where the service reads the time. Tests bring their own. */
export abstract class Clock {
  /** Microseconds since the epoch. */
  abstract nowUs(): number;
}

export class SystemClock extends Clock {
  nowUs(): number {
    return Math.floor((performance.timeOrigin + performance.now()) * 1000);
  }
}
