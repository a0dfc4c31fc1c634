import { types } from 'node:util';
import { contextStorage } from '../context/context-storage.js';
import type { Recorder } from './recorder.js';
import { currentReplayFrame, replayedCallsOf } from './recording-frame.js';
import { observePromise, observeResult } from './result/observe-result.js';
import type { AnyFunction, SpanDefinition } from './span-definition.js';

/**
 * Calls `fn` inside a span: arguments, `this`, result and thrown error pass through unchanged (SPEC 4.2 rules 1 to 4).
 */
export function recordCall(
  recorder: Recorder,
  definition: SpanDefinition,
  fn: AnyFunction,
  self: unknown,
  args: readonly unknown[],
): unknown {
  const span = recorder.open(definition, args);
  if (span === undefined) return callUnrecorded(definition, fn, self, args);
  const body = span.trace.replayedCalls?.bodyOf(span, fn) ?? fn;
  span.isSync = true;
  let result: unknown;
  try {
    result = contextStorage.run(span, Reflect.apply, body, self, args);
  } catch (error) {
    span.fail(error);
    throw error;
  }
  const isAsync = isAsyncFunction(body);
  const observed = isAsync ? observePromise(span, result as Promise<unknown>) : observeResult(span, result);
  // Another function may have handled the promise that it gives, which nothing tells (docs/adr/0012).
  if (body !== fn || (!isAsync && observed !== result)) neverUnhandled(observed);
  return observed;
}

/** Calls `fn` without a span. @throws ReplayMockMissError when a replay answers such calls, since this one it cannot find */
export function callUnrecorded(
  definition: SpanDefinition,
  fn: AnyFunction,
  self: unknown,
  args: readonly unknown[],
): unknown {
  const body = replayedCallsOf(currentReplayFrame())?.unrecorded(definition, fn) ?? fn;
  return Reflect.apply(body, self, args);
}

/**
 * A promise of ours that nobody waits for does not end the process. So too the missing answer of a replay: the call did not
 * end it when it was recorded.
 */
function neverUnhandled(result: unknown): void {
  if (types.isPromise(result)) result.catch(() => undefined);
}

/** Such a function gives a promise that nobody had a chance to add to. */
function isAsyncFunction(fn: AnyFunction): boolean {
  return types.isAsyncFunction(fn) && !types.isGeneratorFunction(fn);
}
