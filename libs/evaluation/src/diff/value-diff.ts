/** One side of a difference. */
export interface DiffSide {
  /** `string`, `number`, `Date`, `Map` or the name of a class. */
  type: string;
  /** The value as text, cut. */
  text: string;
}

/**
 * One place where two values differ. `added` and `removed`: only one side has it. `type`: the types differ. `value`: the same type, not
 * equal. `unknown`: the recording does not show whether they differ.
 */
export interface ValueDiff {
  /** Path from the whole value, `$`: `$.items[2].price`. */
  path: string;
  kind: 'added' | 'removed' | 'type' | 'value' | 'unknown';
  /** Absent on `added`. */
  before?: DiffSide;
  /** Absent on `removed`. */
  now?: DiffSide;
}
