/**
 * Returns the result of an application's hook, which must be synchronous. A promise would not be awaited, and its rejection could
 * end the process.
 *
 * @throws TypeError when the result is a promise
 */
export function answeredAtOnce<T>(hook: string, answer: T): T {
  if (!isThenable(answer)) return answer;
  Promise.resolve(answer).catch(() => undefined);
  throw new TypeError(`${hook} returned a promise; it must return its result directly`);
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'then') === 'function';
}
