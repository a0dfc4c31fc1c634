import type { MemberOverrides } from './member-proxy.js';
import type { Callable } from './result-kinds.js';

/** Receives the results of an iterator's steps. */
export interface StepFollower {
  /** A step begins. */
  begin?(): void;
  add(value: unknown): void;
  /** @param isLeft its reader stops before the end */
  end(isLeft: boolean): void;
  fail(error: unknown): void;
}

/**
 * Methods in the place of those of an asynchronous iterator, which they call.
 *
 * @param run calls a step; default: as its reader does
 */
export function followSteps(
  iterator: AsyncIterator<unknown>,
  follower: StepFollower,
  run?: (step: () => unknown) => unknown,
): MemberOverrides {
  const failed = (error: unknown): never => {
    follower.fail(error);
    throw error;
  };
  // Streams have a step for each chunk: all that a step needs is made once, and it makes one promise.
  const follow = (name: 'next' | 'return' | 'throw'): Callable => {
    const passed = (result: IteratorResult<unknown>): IteratorResult<unknown> => {
      if (result.done === true) follower.end(name === 'return');
      else follower.add(result.value);
      return result;
    };
    const call = (args: unknown[]): unknown =>
      Reflect.apply(Reflect.get(iterator, name) as Callable, iterator, args);
    return (...args) => {
      follower.begin?.();
      try {
        const result = run === undefined ? call(args) : run(() => call(args));
        return Promise.resolve(result as IteratorResult<unknown>).then(passed, failed);
      } catch (error) {
        return Promise.resolve().then(() => failed(error));
      }
    };
  };
  const leave: Callable = (value) => {
    follower.end(true);
    return Promise.resolve({ done: true, value });
  };
  return {
    next: follow('next'),
    return: iterator.return === undefined ? leave : follow('return'),
    ...(iterator.throw !== undefined && { throw: follow('throw') }),
  };
}
