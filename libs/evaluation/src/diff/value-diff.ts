/** One side of a difference. */
export interface DiffSide {
  /** What it is: `string`, `number`, `Date`, `Map`, the name of a class. */
  type: string;
  /** The value as a person reads it, cut. */
  text: string;
}

/**
 * One place where two values differ. `added` and `removed`: only one side has it. `type`: the two are of other types.
 * `value`: of one type, and not equal. `unknown`: what is recorded cannot tell.
 */
export interface ValueDiff {
  /** From `$`, the whole: `$.items[2].price`. */
  path: string;
  kind: 'added' | 'removed' | 'type' | 'value' | 'unknown';
  /** Absent on `added`. */
  before?: DiffSide;
  /** Absent on `removed`. */
  now?: DiffSide;
}
