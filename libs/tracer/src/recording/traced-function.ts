import { callUnrecorded, recordCall } from './record-call.js';
import type { Recorder } from './recorder.js';
import type { AnyFunction, SpanDefinition } from './span-definition.js';

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
      name === TRACED ? definition.key : memberOf(target, name, receiver),
  });
}

/** The same function where nothing is recorded: it runs, unless it is called in a replay that answers its calls. */
export function untracedFunction<F extends AnyFunction>(definition: SpanDefinition, fn: F): F {
  return new Proxy(fn, {
    apply: (target, self, args: unknown[]) => callUnrecorded(definition, target, self, args),
    get: (target, name, receiver) => memberOf(target, name, receiver),
  });
}

function memberOf(target: AnyFunction, name: string | symbol, receiver: unknown): unknown {
  const member: unknown = Reflect.get(target, name, receiver);
  return member === Function.prototype.toString ? () => target.toString() : member;
}

/** The key of a recorded function; `undefined` for any other. */
export function tracedKeyOf(fn: AnyFunction): string | undefined {
  const key: unknown = Reflect.get(fn, TRACED);
  return typeof key === 'string' ? key : undefined;
}
