import type { RunItem } from '@dacapo/evaluation';
import { BudgetExceededError } from './errors.js';

/** Counts what the model calls of replayed items cost. */
export class SpendingLimit {
  private spentUsd = 0;
  private unpriced = 0;

  constructor(private readonly maxUsd: number) {}

  /** Calls that the recording answered cost nothing, and are not counted. */
  add({ usage, modelCalls }: Pick<RunItem, 'usage' | 'modelCalls'>): void {
    this.spentUsd += usage?.costUsd ?? 0;
    this.unpriced += (modelCalls?.made ?? 0) - (modelCalls?.costUsd ?? 0);
  }

  get isExceeded(): boolean {
    // Written so that NaN counts as more.
    return this.unpriced > 0 || !(this.spentUsd <= this.maxUsd);
  }

  /** @throws BudgetExceededError */
  check(): void {
    if (!this.isExceeded) return;
    throw new BudgetExceededError(
      this.unpriced > 0
        ? `${this.unpriced} model calls have no price`
        : `its model calls cost $${Number(this.spentUsd.toPrecision(3))}`,
      this.maxUsd,
    );
  }
}
