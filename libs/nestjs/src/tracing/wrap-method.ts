import { types } from 'node:util';
import { getCurrentTrace, runWithTraceContext, type Tracer } from '@dacapo/tracer';
import { answeredAtOnce, defineSpan, isInsideTracedWork, type SpanDefinition } from '@dacapo/tracer/internal';
import { DEFAULT_TRACER } from '../tokens.js';
import { warnWithoutModule } from './missing-module.js';
import { proxyMethod } from './proxy-method.js';
import {
  findTracedMethod,
  type Method,
  storeTracedMethod,
  readTracedProperty,
  type TracedMethod,
} from './traced-method.js';
import type { TracedOptions } from './traced-options.js';
import { readRequestOptions, slotFor, tracerFor } from './tracer-slot.js';

export interface MethodPlace {
  readonly key: string;
  readonly methodName: string | symbol;
  /** The class that defines the method. */
  readonly className: string;
  readonly options: TracedOptions;
}

/**
 * Returns the method with its calls recorded.
 *
 * @param owner the class or prototype that stores the decoration; absent for a function in a property
 */
export function wrapMethod(original: Method, place: MethodPlace, owner?: object): Method {
  const { key, methodName, className, options } = place;
  const tracerName = options.tracer ?? DEFAULT_TRACER;
  const traced: TracedMethod = { key, options, tracerName };
  if (owner !== undefined) storeTracedMethod(owner, methodName, traced);
  const definitionFor = definitions(original.name, place);
  const slot = slotFor(tracerName);

  const wrapped = proxyMethod(original, {
    apply(target, self: unknown, args: unknown[]) {
      const tracer = tracerFor(self, slot, tracerName);
      if (tracer === undefined) warnWithoutModule(`${className}.${String(methodName)}`);
      if (tracer === undefined || isSuperCall(self, methodName, wrapped, traced)) {
        return Reflect.apply(target, self, args);
      }
      const definition = definitionFor(self);
      const { sessionId, traceContext } = options as AnyHooks;
      const body = sessionId === undefined ? target : inSession(tracer, target, sessionId);
      if (traceContext === undefined || isInsideTracedWork()) return tracer.run(definition, body, self, args);
      const traceparent = tracer.guard(
        'reading traceContext of @Traced',
        () => answeredAtOnce('traceContext', traceContext(...args))?.['traceparent'],
      );
      const moduleRule = readRequestOptions(self, slot).incoming;
      const incoming = options.incoming ?? (typeof moduleRule === 'object' ? undefined : moduleRule);
      const run = (): unknown => tracer.run(definition, body, self, args);
      return runWithTraceContext({ traceparent }, run, { incoming });
    },
    get: (target, property, receiver) =>
      readTracedProperty(traced, property) ?? (Reflect.get(target, property, receiver) as unknown),
  });
  return wrapped;
}

/** One definition per concrete class: subclasses share the key, and their spans carry the subclass's name. */
function definitions(
  methodName: string,
  { key, className, options }: MethodPlace,
): (self: unknown) => SpanDefinition {
  const define = (inheritedBy?: string): SpanDefinition =>
    defineSpan({ ...options, key, name: options.name ?? (methodName || key), className: inheritedBy });
  const own = define();
  const inherited = new WeakMap<object, SpanDefinition>();
  return (self) => {
    if (typeof self !== 'object' || self === null) return own;
    try {
      const prototype = Object.getPrototypeOf(self) as object | null;
      const concrete: unknown = prototype?.constructor;
      if (typeof concrete !== 'function' || concrete.name === className || concrete.name === '') return own;
      let definition = inherited.get(concrete);
      if (definition === undefined) inherited.set(concrete, (definition = define(concrete.name)));
      return definition;
    } catch {
      // A proxy that works only inside a request.
      return own;
    }
  };
}

/** The hooks, as functions of whatever arguments the method is called with. */
interface AnyHooks {
  readonly sessionId?: (...args: unknown[]) => string | undefined;
  readonly traceContext?: (...args: unknown[]) => Record<string, unknown> | undefined;
}

/** Whether an override with the same key made this call: both together are one span. */
function isSuperCall(
  self: unknown,
  methodName: string | symbol,
  wrapped: Method,
  traced: TracedMethod,
): boolean {
  if (self === null || self === undefined) return false;
  const outermost = (self as Record<string | symbol, unknown>)[methodName];
  if (outermost === wrapped) return false;
  const override = tracedOutermost(self, methodName, outermost);
  return override !== undefined && override !== traced && override.key === traced.key;
}

/** Caches how functions are decorated, because each call asks. */
const decorations = new WeakMap<object, TracedMethod | undefined>();

function tracedOutermost(self: unknown, name: string | symbol, outermost: unknown): TracedMethod | undefined {
  if (typeof outermost !== 'function') return undefined;
  if (!decorations.has(outermost)) decorations.set(outermost, findTracedMethod(self, name));
  return decorations.get(outermost);
}

function inSession(tracer: Tracer, target: Method, sessionId: NonNullable<AnyHooks['sessionId']>): Method {
  const enter = (args: unknown[]): void => {
    const id = tracer.guard('reading sessionId of @Traced', () =>
      answeredAtOnce('sessionId', sessionId(...args)),
    );
    if (id !== undefined) getCurrentTrace().setSessionId(id);
  };
  // An async function stays one, so that an unhandled rejection stays unhandled.
  if (types.isAsyncFunction(target) && !types.isGeneratorFunction(target)) {
    return async function (this: unknown, ...args: unknown[]) {
      enter(args);
      return Reflect.apply<unknown, unknown[], unknown>(target, this, args);
    };
  }
  return function (this: unknown, ...args: unknown[]) {
    enter(args);
    return Reflect.apply(target, this, args);
  };
}
