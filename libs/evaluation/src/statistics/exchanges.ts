import { Random } from './random.js';

/** Up to this number, all exchanges are visited. */
const MOST_ENUMERATED = 2 ** 14;
const DRAWS = 10_000;

/**
 * The number of exchanges that {@link visitExchanges} visits. Its inverse is the smallest p.
 *
 * @param repetitions of each cluster
 */
export function countExchanges(repetitions: readonly number[]): number {
  return isEnumerable(repetitions) ? countAll(repetitions) : DRAWS + 1;
}

/** Whether {@link visitExchanges} visits all exchanges. */
export function isEnumerable(repetitions: readonly number[]): boolean {
  return countAll(repetitions) <= MOST_ENUMERATED;
}

function countAll(repetitions: readonly number[]): number {
  return repetitions.reduce((product, count) => product * (count + 1), 1);
}

/**
 * Visits exchanges of candidate and baseline, which are all equally likely when nothing changed: all of them, or 10,000 drawn with a
 * fixed seed. A choice of 0 leaves a cluster unchanged; `k` makes its repetition `k` the baseline. The first visit exchanges nothing.
 *
 * @param visit receives the same array each time
 */
export function visitExchanges(
  repetitions: readonly number[],
  visit: (choices: Uint16Array, index: number) => void,
): void {
  const total = countExchanges(repetitions);
  const isEach = isEnumerable(repetitions);
  const choices = new Uint16Array(repetitions.length);
  const random = new Random(1);
  for (let index = 0; index < total; index += 1) {
    visit(choices, index);
    if (isEach) count(choices, repetitions);
    else draw(choices, repetitions, random);
  }
}

/** Adds one to a number whose digits are the choices. */
function count(choices: Uint16Array, repetitions: readonly number[]): void {
  for (let cluster = 0; cluster < choices.length; cluster += 1) {
    if (choices[cluster] !== repetitions[cluster]) {
      choices[cluster] = (choices[cluster] as number) + 1;
      return;
    }
    choices[cluster] = 0;
  }
}

function draw(choices: Uint16Array, repetitions: readonly number[], random: Random): void {
  let bits = 0;
  let left = 0;
  for (let cluster = 0; cluster < choices.length; cluster += 1) {
    const most = repetitions[cluster] as number;
    if (most !== 1) {
      choices[cluster] = random.below(most + 1);
      continue;
    }
    if (left === 0) {
      bits = random.nextUint32();
      left = 32;
    }
    choices[cluster] = bits & 1;
    bits >>>= 1;
    left -= 1;
  }
}
