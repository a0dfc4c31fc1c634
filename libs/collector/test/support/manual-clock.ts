import { Clock } from '@dacapo/collector';

/** A clock that a test moves on. */
export class ManualClock extends Clock {
  private us = Date.parse('2026-02-01T00:00:00Z') * 1000;

  nowUs(): number {
    return this.us++;
  }

  advanceDays(days: number): void {
    this.advance(days * 24 * 3600);
  }

  advance(seconds: number): void {
    this.us += seconds * 1e6;
  }
}
