import type { ActiveSpan } from '../active-span.js';
import { withMembers } from './member-proxy.js';
import { type GeneratorLike, isThenable } from './result-kinds.js';
import { StreamGatherer } from './stream-gatherer.js';

interface Step {
  readonly done?: boolean;
  readonly value: unknown;
}

/** `map`, `filter` and their like read the generator they are called on, where the language has them. */
const ITERATOR_HELPERS: ReadonlySet<string | symbol> = new Set([
  'map',
  'filter',
  'take',
  'drop',
  'flatMap',
  'reduce',
  'toArray',
  'forEach',
  'some',
  'every',
  'find',
]);

/** Follows a generator of either kind; its body runs inside the span. An early `return` ends it as cancelled. */
export function trackGenerator(span: ActiveSpan, target: GeneratorLike): object {
  const kind = Symbol.asyncIterator in target ? 'async-generator' : 'generator';
  const gathered = new StreamGatherer(span, kind);
  let exhausted = false;
  const step = (name: 'next' | 'return' | 'throw') => {
    const passed = (result: Step): Step => {
      if (result.done !== true) gathered.add(result.value);
      else {
        if (name === 'return' && !exhausted) gathered.cancel();
        else gathered.succeed(result.value);
        exhausted = true;
      }
      return result;
    };
    const failed = (error: unknown): never => {
      gathered.fail(error);
      throw error;
    };
    return (...args: unknown[]): unknown => {
      let result: unknown;
      try {
        result = span.run(() => Reflect.apply(target[name], target, args));
      } catch (error) {
        return failed(error);
      }
      return typeof result === 'object' && result !== null && isThenable(result)
        ? result.then(passed, failed)
        : passed(result as Step);
    };
  };
  return withMembers(target, {
    overrides: { next: step('next'), return: step('return'), throw: step('throw') },
    onProxy: ITERATOR_HELPERS,
  });
}
