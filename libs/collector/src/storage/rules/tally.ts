/** Maximum relative error of a percentile. */
export const RELATIVE_ERROR = 0.01;

const GAMMA = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR);
const LOG_GAMMA = Math.log(GAMMA);

/** In ms. Shorter durations count as 0 and longer ones as `LONGEST`, which limits a tally to about 1,700 bins. */
const SHORTEST = 0.001;
const LONGEST = 1e12;
const NO_TIME = -1_000_000;

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

export type EncodedTally = [sums: number[], durations: number[]];

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
  private readonly durations = new Map<number, number>();
  /** Sorting takes longer than counting, and several percentiles are asked for. */
  private sortedBins: Int32Array | undefined;

  static decode(encoded: EncodedTally): Tally {
    const tally = new Tally();
    tally.addEncoded(encoded);
    return tally;
  }

  addEncoded([sums, durations]: EncodedTally): void {
    for (const [place, name] of SUMS.entries()) this[name] += sums[place] ?? 0;
    for (let at = 0; at + 1 < durations.length; at += 2) {
      this.addToBin(durations[at] ?? 0, durations[at + 1] ?? 0);
    }
  }

  encode(): EncodedTally {
    return [SUMS.map((name) => this[name]), [...this.durations].flat()];
  }

  get isEmpty(): boolean {
    return SUMS.every((name) => this[name] === 0) && this.durations.size === 0;
  }

  addDuration(ms: number): void {
    this.addToBin(findBin(ms), 1);
  }

  /** @param times -1 subtracts a tally that was added before */
  add(other: Tally, times: 1 | -1 = 1): void {
    for (const name of SUMS) this[name] += times * other[name];
    for (const [bin, count] of other.durations) this.addToBin(bin, times * count);
  }

  /**
   * A percentile of the durations in ms, by nearest rank and with an error of at most `RELATIVE_ERROR`. `undefined` if no call
   * ended.
   *
   * @param share above 0, to 1
   */
  percentile(share: number): number | undefined {
    let total = 0;
    for (const count of this.durations.values()) total += count;
    let left = Math.ceil(share * total);
    this.sortedBins ??= Int32Array.from(this.durations.keys()).sort();
    for (const bin of this.sortedBins) {
      left -= this.durations.get(bin) ?? 0;
      if (left <= 0) return bin === NO_TIME ? 0 : (2 * GAMMA ** bin) / (GAMMA + 1);
    }
    return undefined;
  }

  /** Calls that ended, and those of them that took longer than `ms`, apart from calls in its bin. */
  countLongerThan(ms: number): { ended: number; longer: number } {
    const limit = findBin(ms);
    let [ended, longer] = [0, 0];
    for (const [bin, count] of this.durations) {
      ended += count;
      if (bin > limit) longer += count;
    }
    return { ended, longer };
  }

  private addToBin(bin: number, count: number): void {
    this.sortedBins = undefined;
    const sum = (this.durations.get(bin) ?? 0) + count;
    if (sum === 0) this.durations.delete(bin);
    else this.durations.set(bin, sum);
  }
}

function findBin(ms: number): number {
  return ms < SHORTEST ? NO_TIME : Math.ceil(Math.log(Math.min(ms, LONGEST)) / LOG_GAMMA);
}
