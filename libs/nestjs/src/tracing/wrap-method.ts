import { defineSpan, getCurrentTrace } from '@dacapo/tracer';
import { DEFAULT_TRACER } from '../tokens.js';
import { tracerOf } from './find-tracer.js';
import { type Method, readTracedProperty, type TracedMethod, tracedMethodOf } from './traced-method.js';
import type { TracedOptions } from './traced-options.js';
import { slotOf } from './tracer-slot.js';

export interface MethodPlace {
  readonly key: string;
  readonly methodName: string | symbol;
  readonly options: TracedOptions;
}

/**
 * The same method, recorded: `this`, name, length, own properties and all metadata stay, whatever decorators stand above
 * or below.
 */
export function wrapMethod(original: Method, { key, methodName, options }: MethodPlace): Method {
  const tracerName = options.tracer ?? DEFAULT_TRACER;
  const traced: TracedMethod = { key, options, tracerName };
  const definition = defineSpan({ ...options, key, name: options.name ?? (original.name || key) });
  const slot = slotOf(tracerName);
  const body = options.sessionId === undefined ? original : withSession(original, options.sessionId);

  const wrapped: Method = new Proxy(original, {
    apply(target, self: unknown, args: unknown[]) {
      const tracer = tracerOf(self, slot, tracerName);
      if (tracer === undefined || isSuperCall(self, methodName, wrapped, key))
        return Reflect.apply(target, self, args);
      return tracer.run(definition, body, self, args);
    },
    get: (target, property, receiver) =>
      readTracedProperty(traced, property) ?? (Reflect.get(target, property, receiver) as unknown),
  });
  copyMetadata(original, wrapped);
  return wrapped;
}

/** An override under the same key called what it overrides: one call, one span. */
function isSuperCall(self: unknown, methodName: string | symbol, wrapped: Method, key: string): boolean {
  if (self === null || self === undefined) return false;
  const outermost = (self as Record<string | symbol, unknown>)[methodName];
  return outermost !== wrapped && tracedMethodOf(outermost)?.key === key;
}

function withSession(original: Method, sessionId: NonNullable<TracedOptions['sessionId']>): Method {
  return function (this: unknown, ...args: unknown[]) {
    const id = (sessionId as (...all: unknown[]) => string | undefined)(...args);
    if (id !== undefined) getCurrentTrace().setSessionId(id);
    return Reflect.apply(original, this, args);
  };
}

function copyMetadata(from: object, to: object): void {
  for (const key of Reflect.getOwnMetadataKeys(from)) {
    Reflect.defineMetadata(key, Reflect.getOwnMetadata(key, from), to);
  }
}
