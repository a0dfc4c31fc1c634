/**
 * How an item's outcome in this run compares with the same item in the other run:
 *
 * - `same_outcome`: the same value or error.
 * - `judged_otherwise`: the same outcome with another verdict, because the baselines or the comparison differ.
 * - `improved`, `regressed`: different outcomes, and this run's verdict is better or worse. From best to worst: fixed, same,
 *   changed, failure.
 * - `other_outcome`: different outcomes, and the verdicts do not rank them.
 * - `unknown`: the outcomes cannot be compared, such as when one is cut, erased or missing.
 * - `only_here`, `only_there`: only this run, or only the other run, has the item.
 */
export const PAIR_RELATIONS = [
  'improved',
  'regressed',
  'same_outcome',
  'judged_otherwise',
  'other_outcome',
  'unknown',
  'only_here',
  'only_there',
] as const;
export type PairRelation = (typeof PAIR_RELATIONS)[number];

/** How the outcomes of one call compare in several runs, worst first. */
export const AGREEMENTS = ['different', 'unknown', 'same'] as const;
export type Agreement = (typeof AGREEMENTS)[number];
