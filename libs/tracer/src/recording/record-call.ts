import { types } from 'node:util';
import { contextStorage } from '../context/context-storage.js';
import type { Recorder } from './recorder.js';
import { settle, settlePromise } from './settle/settle.js';
import type { SpanDefinition } from './span-definition.js';

type Callable = (...args: unknown[]) => unknown;

/**
 * Calls `fn` inside a span: arguments, `this`, result and thrown error pass through unchanged (SPEC 4.2 rules 1 to 4).
 */
export function recordCall(
  recorder: Recorder,
  definition: SpanDefinition,
  fn: Callable,
  self: unknown,
  args: readonly unknown[],
): unknown {
  const span = recorder.open(definition, args);
  if (span === undefined) return Reflect.apply(fn, self, args);
  const body = span.trace.replayedCalls?.bodyOf(span, fn) ?? fn;
  span.isSync = true;
  let result: unknown;
  try {
    result = contextStorage.run(span, Reflect.apply, body, self, args);
  } catch (error) {
    span.fail(error);
    throw error;
  }
  return isAsyncFunction(body) ? settlePromise(span, result as Promise<unknown>) : settle(span, result);
}

/** Such a function gives a promise that nobody had a chance to add to. */
function isAsyncFunction(fn: Callable): boolean {
  return types.isAsyncFunction(fn) && !types.isGeneratorFunction(fn);
}
