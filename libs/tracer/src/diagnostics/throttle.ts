export const THROTTLE_MS = 60_000;
const MAX_CAUSES = 100;

/** Lets each cause pass immediately, and then not again for a minute. */
export class Throttle {
  private readonly passedAtMs = new Map<string, number>();

  /** @param clock monotonic */
  constructor(private readonly clock: { nowMs(): number }) {}

  passes(cause: string): boolean {
    const nowMs = this.clock.nowMs();
    const lastMs = this.passedAtMs.get(cause);
    if (lastMs !== undefined && nowMs - lastMs < THROTTLE_MS) return false;
    if (this.passedAtMs.size >= MAX_CAUSES) this.reset();
    this.passedAtMs.set(cause, nowMs);
    return true;
  }

  /** Lets every cause pass again. */
  reset(): void {
    this.passedAtMs.clear();
  }
}
