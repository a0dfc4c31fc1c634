/**
 * What a hook of the application answered, unless that is a promise: nobody waits for it, and its failure, unheard, would
 * end the process.
 *
 * @throws TypeError when it is one
 */
export function answeredAtOnce<T>(hook: string, answer: T): T {
  if (!isThenable(answer)) return answer;
  Promise.resolve(answer).catch(() => undefined);
  throw new TypeError(`${hook} answered with a promise; it must answer at once`);
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'then') === 'function';
}
