import { types } from 'node:util';
import { getCurrentTrace, runWithTraceContext, type Tracer } from '@dacapo/tracer';
import { answeredAtOnce, defineSpan, isInsideTracedWork, type SpanDefinition } from '@dacapo/tracer/internal';
import { DEFAULT_TRACER } from '../tokens.js';
import { warnWithoutModule } from './missing-module.js';
import { proxyMethod } from './proxy-method.js';
import {
  findTracedMethod,
  type Method,
  noteTraced,
  readTracedProperty,
  type TracedMethod,
} from './traced-method.js';
import type { TracedOptions } from './traced-options.js';
import { requestOptionsOf, tracerOf } from './tracer-of.js';
import { slotOf } from './tracer-slot.js';

export interface MethodPlace {
  readonly key: string;
  readonly methodName: string | symbol;
  /** Of the class that defines the method. */
  readonly className: string;
  readonly options: TracedOptions;
}

/**
 * The same method, recorded.
 *
 * @param owner the class or prototype that keeps what the method is decorated with; absent for a function in a property
 */
export function wrapMethod(original: Method, place: MethodPlace, owner?: object): Method {
  const { key, methodName, className, options } = place;
  const tracerName = options.tracer ?? DEFAULT_TRACER;
  const traced: TracedMethod = { key, options, tracerName };
  if (owner !== undefined) noteTraced(owner, methodName, traced);
  const definitionFor = definitions(original.name, place);
  const slot = slotOf(tracerName);

  const wrapped = proxyMethod(original, {
    apply(target, self: unknown, args: unknown[]) {
      const tracer = tracerOf(self, slot, tracerName);
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
      const ofModule = requestOptionsOf(self, slot).incoming;
      const incoming = options.incoming ?? (typeof ofModule === 'object' ? undefined : ofModule);
      return runWithTraceContext({ traceparent }, () => tracer.run(definition, body, self, args), {
        incoming,
      });
    },
    get: (target, property, receiver) =>
      readTracedProperty(traced, property) ?? (Reflect.get(target, property, receiver) as unknown),
  });
  return wrapped;
}

/** One definition for each class that a method is called on: those that inherit it share its key, not their calls. */
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
      // A proxy that answers only inside a request.
      return own;
    }
  };
}

/** The hooks as they are called: with whatever the method is called with. */
interface AnyHooks {
  readonly sessionId?: (...args: unknown[]) => string | undefined;
  readonly traceContext?: (...args: unknown[]) => Record<string, unknown> | undefined;
}

/** An override under the same key called what it overrides: one call, one span. */
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

/** What the methods that instances have were found to be decorated with: each call asks. */
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
  // An async function stays one: its rejection is unhandled where nobody handles it.
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
