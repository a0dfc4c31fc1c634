type IsAny<T> = 0 extends 1 & T ? true : false;

type Same<A, B> = [IsAny<A>, A] extends [IsAny<B>, B]
  ? [IsAny<B>, B] extends [IsAny<A>, A]
    ? true
    : false
  : false;

/** Does not compile unless both types are one. */
export function same<A, B>(isSame: Same<A, B>): boolean {
  return isSame;
}
