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
  // Another function may have handled the promise that it gives, which nothing tells (docs/adr/0012).
  if (body !== fn || (!isAsync && observed !== result)) neverUnhandled(observed);
  return observed;
}

/** No caller waits longer for the end of a call because its files are read. In memory, a file takes less than a millisecond. */
const LONGEST_READ_MS = 100;

/** Settles when the files among the arguments are read, and never rejects; `undefined`: there are none. */
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

/** Calls `fn` without a span. @throws ReplayMockMissError when a replay answers such calls, since this one it cannot find */
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

/** Read on a function, it gives the trace function key that its calls are recorded under. */
const TRACED = Symbol.for('@dacapo/traced');

/** The same function, recorded: name, length, text, own properties and `new` stay as they are. */
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

/** The same function where nothing is recorded: it runs, unless it is called in a replay that answers its calls. */
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

/** The key of a recorded function; `undefined` for any other. */
export function tracedKeyOf(fn: AnyFunction): string | undefined {
  const key: unknown = Reflect.get(fn, TRACED);
  return typeof key === 'string' ? key : undefined;
}
