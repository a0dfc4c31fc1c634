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
  const observed = isAsyncFunction(body)
    ? observePromise(span, result as Promise<unknown>)
    : observeResult(span, result);
  if (body !== fn) neverUnhandled(observed);
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

/** A call that nobody waits for did not end the process when it was recorded: its missing answer does not either. */
function neverUnhandled(result: unknown): void {
  if (types.isPromise(result)) result.catch(() => undefined);
}

/** Such a function gives a promise that nobody had a chance to add to. */
function isAsyncFunction(fn: AnyFunction): boolean {
  return types.isAsyncFunction(fn) && !types.isGeneratorFunction(fn);
}
