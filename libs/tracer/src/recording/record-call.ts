import { setTimeout as sleep } from 'node:timers/promises';
import { types } from 'node:util';
import { contextStorage } from '../context/context-storage.js';
import type { ActiveSpan } from './active-span.js';
import type { Recorder } from './recorder.js';
import { currentReplayFrame, findReplayedCalls } from './recording-frame.js';
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
  span.filesRead = readFiles(span);
  const body = span.trace.replayedCalls?.chooseFunction(span, fn) ?? fn;
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
  // Another function may have handled its promise, which cannot be detected (docs/adr/0012).
  if (body !== fn || (!isAsync && observed !== result)) neverUnhandled(observed);
  return observed;
}

/** How long the end of a call may wait for reading its files. A file in memory takes less than a millisecond. */
const LONGEST_READ_MS = 100;

/** Settles when the files among the arguments are read, and never rejects; `undefined` without files. */
function readFiles(span: ActiveSpan): Promise<unknown> | undefined {
  const { input } = span;
  if (input?.notRead === undefined || !span.isRecording) return undefined;
  const { notRead } = input;
  const read = import('./input-files.js')
    .then(({ readInputFiles }) => readInputFiles(span, input, notRead))
    .catch((error: unknown) => {
      span.start.recorder.failed('reading the files among arguments', error);
    });
  return Promise.race([read, sleep(LONGEST_READ_MS, undefined, { ref: false })]);
}

/** Calls `fn` without a span. @throws ReplayMockMissError in a replay that answers such calls, because it cannot find this one */
export function callUnrecorded(
  definition: SpanDefinition,
  fn: AnyFunction,
  self: unknown,
  args: readonly unknown[],
): unknown {
  const body = findReplayedCalls(currentReplayFrame())?.unrecorded(definition, fn) ?? fn;
  return Reflect.apply(body, self, args);
}

/**
 * Marks a promise of ours as handled, so that it cannot end the process. This also covers a missing answer of a replay: the call did not
 * end the process when it was recorded.
 */
function neverUnhandled(result: unknown): void {
  if (types.isPromise(result)) result.catch(() => undefined);
}

/** An async function creates its promise itself, so the promise has no extra properties. */
function isAsyncFunction(fn: AnyFunction): boolean {
  return types.isAsyncFunction(fn) && !types.isGeneratorFunction(fn);
}

/** Property of a wrapped function: the trace function key of its calls. */
const TRACED = Symbol.for('@dacapo/traced');

/** Wraps a function; name, length, text, own properties and `new` stay unchanged. */
export function traceFunction<F extends AnyFunction>(
  recorder: Recorder,
  definition: SpanDefinition,
  fn: F,
): F {
  return new Proxy(fn, {
    apply: (target, self, args: unknown[]) => recordCall(recorder, definition, target, self, args),
    get: (target, name, receiver): unknown =>
      name === TRACED ? definition.key : readMember(target, name, receiver),
  });
}

/** Wraps a function while tracing is off: it runs, except in a replay that answers its calls. */
export function untracedFunction<F extends AnyFunction>(definition: SpanDefinition, fn: F): F {
  return new Proxy(fn, {
    apply: (target, self, args: unknown[]) => callUnrecorded(definition, target, self, args),
    get: (target, name, receiver) => readMember(target, name, receiver),
  });
}

function readMember(target: AnyFunction, name: string | symbol, receiver: unknown): unknown {
  const member: unknown = Reflect.get(target, name, receiver);
  return member === Function.prototype.toString ? () => target.toString() : member;
}

/** Returns the key of a wrapped function; `undefined` for other functions. */
export function readTracedKey(fn: AnyFunction): string | undefined {
  const key: unknown = Reflect.get(fn, TRACED);
  return typeof key === 'string' ? key : undefined;
}
