/** `unknown`: what is recorded cannot tell. */
export type Equality = 'equal' | 'different' | 'unknown';

const RANK = { equal: 0, unknown: 1, different: 2 } as const;

/** Of a whole whose parts compare as these: a difference that is certain counts more than anything unknown. */
export function worse(left: Equality, right: Equality): Equality {
  return RANK[left] >= RANK[right] ? left : right;
}

/** `whenSame`: the most that can be said. */
export function told(isSame: boolean, whenSame: Equality = 'equal'): Equality {
  return isSame ? whenSame : 'different';
}
