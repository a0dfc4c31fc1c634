import type { Turns } from './turns.js';

/** Work of one turn. Probes and small requests wait for a few turns at most. */
const TURN_MS = 10;

/** Splits a loop over steps of unknown cost into turns of equal time. */
export class TimedTurns {
  private endsMs = -Infinity;

  constructor(private readonly turns: Pick<Turns, 'next'>) {}

  /** Whether the loop must wait for {@link next} before its next step. */
  get isOver(): boolean {
    return performance.now() >= this.endsMs;
  }

  async next(): Promise<void> {
    await this.turns.next();
    this.endsMs = performance.now() + TURN_MS;
  }
}
