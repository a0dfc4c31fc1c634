import type { AnyFunction } from './any-function.js';
import { recordCall } from './record-call.js';
import type { Recorder } from './recorder.js';
import type { SpanDefinition } from './span-definition.js';

/** Read on a function, it gives the trace function key that its calls are recorded under. */
const TRACED = Symbol.for('@dacapo/traced');

/** The same function, recorded: name, length, text, own properties and `new` stay as they are. */
export function traceFunction<F extends AnyFunction>(
  recorder: Recorder,
  definition: SpanDefinition,
  fn: F,
): F {
  return new Proxy(fn, {
    apply: (target, self, args: unknown[]) =>
      recordCall(recorder, definition, target as unknown as (...all: unknown[]) => unknown, self, args),
    get: (target, name, receiver): unknown => {
      if (name === TRACED) return definition.key;
      const member: unknown = Reflect.get(target, name, receiver);
      return member === Function.prototype.toString ? () => target.toString() : member;
    },
  });
}

/** The key of a recorded function; `undefined` for any other. */
export function tracedKeyOf(fn: AnyFunction): string | undefined {
  const key = (fn as unknown as Record<symbol, unknown>)[TRACED];
  return typeof key === 'string' ? key : undefined;
}
