import { DurationBins, type EncodedBins } from './duration-bins.js';

/** The sums of a tally, in stored order. */
const SUMS = [
  'calls',
  'errors',
  'modelCalls',
  'unpricedCalls',
  'inputTokens',
  'outputTokens',
  'costNanoUsd',
  'ownModelCalls',
  'ownUnpricedCalls',
  'ownCostNanoUsd',
] as const;

export type EncodedTally = [sums: number[], durations: EncodedBins];

/**
 * Calls with one key in one period: counts, sums, and durations as counts in bins that grow by 2 % each. Tallies can be added and
 * subtracted exactly, so deleted calls leave nothing behind. That is why costs are whole billionths of a dollar.
 */
export class Tally {
  calls = 0;
  errors = 0;
  modelCalls = 0;
  unpricedCalls = 0;
  inputTokens = 0;
  outputTokens = 0;
  costNanoUsd = 0;
  /** Model calls that are calls of the key themselves: over all keys, each counts once. */
  ownModelCalls = 0;
  ownUnpricedCalls = 0;
  ownCostNanoUsd = 0;
  private readonly durations = new DurationBins();

  static decode(encoded: EncodedTally): Tally {
    const tally = new Tally();
    tally.addEncoded(encoded);
    return tally;
  }

  addEncoded([sums, durations]: EncodedTally): void {
    for (const [place, name] of SUMS.entries()) this[name] += sums[place] ?? 0;
    this.durations.addEncoded(durations);
  }

  encode(): EncodedTally {
    return [SUMS.map((name) => this[name]), this.durations.encode()];
  }

  get isEmpty(): boolean {
    return SUMS.every((name) => this[name] === 0) && this.durations.isEmpty;
  }

  addDuration(ms: number): void {
    this.durations.addDuration(ms);
  }

  /** @param times -1 subtracts a tally that was added before */
  add(other: Tally, times: 1 | -1 = 1): void {
    for (const name of SUMS) this[name] += times * other[name];
    this.durations.add(other.durations, times);
  }

  /**
   * A percentile of the durations in ms, by nearest rank and with an error of at most `RELATIVE_ERROR`. `undefined` if no call
   * ended.
   *
   * @param share above 0, to 1
   */
  percentile(share: number): number | undefined {
    return this.durations.percentile(share);
  }

  /** Calls that ended, and those of them that took longer than `ms`, apart from calls in its bin. */
  countLongerThan(ms: number): { ended: number; longer: number } {
    return { ended: this.durations.total, longer: this.durations.countLongerThan(ms) };
  }
}
