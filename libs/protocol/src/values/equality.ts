/** `unknown`: the recording is not enough to decide. */
export type Equality = 'equal' | 'different' | 'unknown';

const RANK = { equal: 0, unknown: 1, different: 2 } as const;

/** Combines the results of two parts: a certain difference outweighs an unknown part. */
export function worse(left: Equality, right: Equality): Equality {
  return RANK[left] >= RANK[right] ? left : right;
}

/** @param whenSame the result if `isSame` */
export function equalIf(isSame: boolean, whenSame: Equality = 'equal'): Equality {
  return isSame ? whenSame : 'different';
}
