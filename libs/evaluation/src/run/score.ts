/** What an evaluator, a person or a program says of one item. Higher is better; text sorts items into kinds. */
export interface Score {
  /** Default: the evaluator's name. */
  name?: string;
  /** `null`: it does not apply to this item, which stays out of the mean and is counted. */
  score: number | boolean | string | null;
  /** A word for it, such as `helpful`. */
  label?: string;
  /** Why. */
  explanation?: string;
  metadata?: object;
}

/** A score that is in a run: its name is known. */
export interface NamedScore extends Score {
  name: string;
  /** Of a baseline: a hash of the evaluator's version. Absent without one. */
  version?: string;
  /** Of a baseline: it is that of an earlier run, in which the same version saw the same. */
  reused?: true;
}

/** Larger numbers are none: the squares and cubes that statistics take of them would be infinite, and would show nothing. */
const LARGEST = 1e100;

export function isUsableNumber(value: number): boolean {
  return Math.abs(value) <= LARGEST;
}

/** A score as a number: a boolean is 1 or 0; what sorts or does not apply is none. */
export function numberOf({ score }: Score): number | undefined {
  if (typeof score === 'boolean') return score ? 1 : 0;
  return typeof score === 'number' && isUsableNumber(score) ? score : undefined;
}
