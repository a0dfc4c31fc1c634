import { holm } from './holm.js';
import { checkConfidence, DEFAULT_CONFIDENCE, type Difference } from './interval.js';
import { meanDifference } from './mean-difference.js';

/** The scores of one variant: a prompt, a model, a version of a function. */
export interface VariantScores {
  readonly name: string;
  /** By the score's name, then by item. Repetitions of an item are averaged first. */
  readonly scores: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

/** One score of two variants, over the items that both have it for. */
export interface VariantComparison {
  score: string;
  /** The variant with the higher mean first. */
  variants: [first: string, second: string];
  /** Over the items of `difference`. */
  means: [first: number, second: number];
  /** First minus second. p is corrected for all comparisons of the evaluation (Holm). */
  difference: Difference;
  /** Items with this score in only one of the two variants. */
  unpaired: [first: number, second: number];
  /**
   * `evidence`: the first variant is better. `none`: no evidence of a difference. `too_few`: too few items for any evidence. `unpaired`:
   * the first variant is better on the items that both scored, but lacks the score for others.
   */
  outcome: 'evidence' | 'none' | 'too_few' | 'unpaired';
  /** With `too_few`: the number of independent items that could show a difference. */
  neededItems?: number;
}

export interface CompareVariantsOptions {
  /** Default: 0.95. */
  readonly confidence?: number | undefined;
  /** The session of each item. Items of one session count as one observation. Default: each item is independent. */
  readonly sessions?: ReadonlyMap<number, string> | undefined;
}

/**
 * Compares each pair of variants by each score, with the paired randomization test of {@link meanDifference}. All comparisons
 * together raise a false alarm no more often than one would (Holm).
 *
 * A variant without a score for items that the other one scored is never declared better: it may have failed the hard ones.
 *
 * @returns by score, then by pair, in the order of `variants`
 * @throws InvalidArgumentError when a score is not finite, or `confidence` is not between 0 and 1
 */
export function compareVariants(
  variants: readonly VariantScores[],
  { confidence = DEFAULT_CONFIDENCE, sessions }: CompareVariantsOptions = {},
): VariantComparison[] {
  checkConfidence(confidence);
  const names = new Set(variants.flatMap(({ scores }) => [...scores.keys()]));
  const compared = [...names].flatMap((score) =>
    variants.flatMap((one, index) =>
      variants.slice(index + 1).flatMap((other) => {
        const comparison = comparePair(score, one, other, { confidence, sessions });
        return comparison === undefined ? [] : [comparison];
      }),
    ),
  );
  const ps = holm(compared.map(({ difference }) => difference.p));
  const alpha = 1 - confidence;
  return compared.map((comparison, index): VariantComparison => {
    const difference = { ...comparison.difference, p: ps[index] ?? 1, correction: compared.length };
    const corrected = { ...comparison, difference };
    if (difference.smallestP * compared.length > alpha && difference.p > alpha) {
      const neededItems = Math.ceil(Math.log2((2 * compared.length) / alpha) - 1e-9);
      return { ...corrected, outcome: 'too_few', neededItems };
    }
    if (difference.p > alpha) return { ...corrected, outcome: 'none' };
    return { ...corrected, outcome: comparison.unpaired[1] > 0 ? 'unpaired' : 'evidence' };
  });
}

/** @returns `undefined` when neither has a number for the score */
function comparePair(
  score: string,
  one: VariantScores,
  other: VariantScores,
  { confidence, sessions }: CompareVariantsOptions,
): Omit<VariantComparison, 'outcome'> | undefined {
  const ofOne = one.scores.get(score) ?? new Map<number, number>();
  const ofOther = other.scores.get(score) ?? new Map<number, number>();
  if (ofOne.size + ofOther.size === 0) return undefined;
  const both = [...ofOne.keys()].filter((item) => ofOther.has(item));
  const average = (scores: ReadonlyMap<number, number>): number =>
    both.length === 0 ? 0 : both.reduce((sum, item) => sum + (scores.get(item) ?? 0), 0) / both.length;
  const isSwapped = average(ofOther) > average(ofOne);
  const [first, second] = isSwapped ? [ofOther, ofOne] : [ofOne, ofOther];
  const names: [string, string] = isSwapped ? [other.name, one.name] : [one.name, other.name];
  const difference = meanDifference(
    both.map((item) => (first.get(item) ?? 0) - (second.get(item) ?? 0)),
    { confidence, clusters: sessions && both.map((item) => sessions.get(item)) },
  );
  return {
    score,
    variants: names,
    means: [average(first), average(second)],
    difference,
    unpaired: [first.size - both.length, second.size - both.length],
  };
}
