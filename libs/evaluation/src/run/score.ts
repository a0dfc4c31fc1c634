/** A rating of one item by an evaluator, a person or a program. Higher is better. Text is a label. */
export interface Score {
  /** Default: the evaluator's name. */
  name?: string;
  /** `null`: does not apply. Such items are counted but not in the mean. */
  score: number | boolean | string | null;
  /** A word for the score, such as `helpful`. */
  label?: string;
  /** The reason. */
  explanation?: string;
  metadata?: object;
}

/** A score of a run, with its name. */
export interface NamedScore extends Score {
  name: string;
  /** Baselines only: a hash of the evaluator's version. Absent without a version. */
  version?: string;
  /** Baselines only: the score comes from an earlier run with the same version and input. */
  reused?: true;
}

/** Larger numbers are ignored, because their squares and cubes would overflow in statistics. */
const LARGEST = 1e100;

export function isUsableNumber(value: number): boolean {
  return Math.abs(value) <= LARGEST;
}

/** A score as a number: booleans are 1 or 0; `undefined` for labels and `null`. */
export function scoreToNumber({ score }: Score): number | undefined {
  if (typeof score === 'boolean') return score ? 1 : 0;
  return typeof score === 'number' && isUsableNumber(score) ? score : undefined;
}
