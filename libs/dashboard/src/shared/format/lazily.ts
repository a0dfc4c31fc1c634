/** Returns a function that makes a value when it is first called, and returns the same value again. */
export function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
