/** Maximum relative error of a percentile. */
export const RELATIVE_ERROR = 0.01;

const GAMMA = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR);
const LOG_GAMMA = Math.log(GAMMA);

/** In ms. Shorter durations count as 0 and longer ones as `LONGEST`, which limits the bins to about 1,700. */
const SHORTEST = 0.001;
const LONGEST = 1e12;
const NO_TIME = -1_000_000;
const FIRST_BIN = toBin(SHORTEST);
const LAST_BIN = toBin(LONGEST);

/** Numbers that may wait to be added up. */
const MOST_WAITING = 256;

/** Pairs of a bin and its count. */
export type EncodedBins = readonly number[];

/**
 * Durations as counts in bins that grow by 2 % each. Added bins wait until the counts are read or {@link MOST_WAITING} numbers wait. Then
 * one pass adds all of them up: a read of metrics adds many tallies, and reads few of the sums.
 */
export class DurationBins {
  /** In order of the bins, without counts of 0. A count is negative until what it is subtracted from is added. */
  private settled: EncodedBins = [];
  private readonly waiting: { bins: EncodedBins; times: 1 | -1 }[] = [];
  private waitingNumbers = 0;

  get isEmpty(): boolean {
    return this.encode().length === 0;
  }

  get total(): number {
    return this.countFrom(NO_TIME);
  }

  addDuration(ms: number): void {
    this.addEncoded([findBin(ms), 1]);
  }

  /** @param times -1 subtracts */
  add(other: DurationBins, times: 1 | -1): void {
    this.addEncoded(other.settled, times);
    for (const part of other.waiting) this.addEncoded(part.bins, part.times === times ? 1 : -1);
  }

  /** @param bins each once, in any order */
  addEncoded(bins: EncodedBins, times: 1 | -1 = 1): void {
    if (bins.length === 0) return;
    this.waiting.push({ bins, times });
    this.waitingNumbers += bins.length;
    if (this.waitingNumbers > MOST_WAITING) this.encode();
  }

  /** In order of the bins. */
  encode(): EncodedBins {
    if (this.waiting.length === 0) return this.settled;
    this.settled = addUp([{ bins: this.settled, times: 1 }, ...this.waiting]);
    this.waiting.length = 0;
    this.waitingNumbers = 0;
    return this.settled;
  }

  /**
   * A percentile in ms, by nearest rank and with an error of at most `RELATIVE_ERROR`. `undefined` if there is no duration.
   *
   * @param share above 0, to 1
   */
  percentile(share: number): number | undefined {
    const bins = this.encode();
    let left = Math.ceil(share * this.total);
    for (let at = 0; at < bins.length; at += 2) {
      const [bin = 0, count = 0] = [bins[at], bins[at + 1]];
      left -= count;
      if (left <= 0) return bin === NO_TIME ? 0 : (2 * GAMMA ** bin) / (GAMMA + 1);
    }
    return undefined;
  }

  /** Durations above the bin of `ms`. */
  countLongerThan(ms: number): number {
    return this.countFrom(findBin(ms) + 1);
  }

  private countFrom(first: number): number {
    const bins = this.encode();
    let sum = 0;
    for (let at = 0; at < bins.length; at += 2) if ((bins[at] ?? 0) >= first) sum += bins[at + 1] ?? 0;
    return sum;
  }
}

function addUp(parts: readonly { bins: EncodedBins; times: 1 | -1 }[]): EncodedBins {
  let [first, last] = [LAST_BIN, FIRST_BIN];
  for (const { bins } of parts) {
    for (let at = 0; at < bins.length; at += 2) {
      const bin = bins[at] ?? NO_TIME;
      if (bin > last) last = bin;
      if (bin < first && bin !== NO_TIME) first = bin;
    }
  }
  let noTime = 0;
  const counts = new Float64Array(Math.max(0, last - first + 1));
  for (const { bins, times } of parts) {
    for (let at = 0; at < bins.length; at += 2) {
      const place = (bins[at] ?? 0) - first;
      const count = times * (bins[at + 1] ?? 0);
      if (place < 0) noTime += count;
      else counts[place] = (counts[place] ?? 0) + count;
    }
  }
  const encoded = noTime === 0 ? [] : [NO_TIME, noTime];
  for (let place = 0; place < counts.length; place++) {
    const count = counts[place] ?? 0;
    if (count !== 0) encoded.push(place + first, count);
  }
  return encoded;
}

function findBin(ms: number): number {
  return ms < SHORTEST ? NO_TIME : toBin(Math.min(ms, LONGEST));
}

function toBin(ms: number): number {
  return Math.ceil(Math.log(ms) / LOG_GAMMA);
}
