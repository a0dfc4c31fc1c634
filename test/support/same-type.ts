type IsAny<T> = 0 extends 1 & T ? true : false;

type Same<A, B> = [IsAny<A>, A] extends [IsAny<B>, B]
  ? [IsAny<B>, B] extends [IsAny<A>, A]
    ? true
    : false
  : false;

/** Compiles only if both types are identical. */
export function same<A, B>(isSame: Same<A, B>): boolean {
  return isSame;
}
