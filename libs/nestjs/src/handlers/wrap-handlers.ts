import { isPromise, isProxy } from 'node:util/types';
import type { ModulesContainer } from '@nestjs/core';
import { inSubscribersContext, isObservable } from '@dacapo/tracer/internal';
import { DEFAULT_TRACER } from '../tokens.js';
import { likeMethod, proxyMethod } from '../tracing/proxy-method.js';
import type { Method } from '../tracing/traced-method.js';
import { openSlot } from '../tracing/tracer-slot.js';
import { type Handler, type HandlerKind, handlersOf } from './handler-kinds.js';
import { runHandler } from './run-handler.js';

const wrapped = new WeakSet<Method>();

/** All that a method has of its own that nobody gave it. */
const OWN_KEYS = new Set<string | symbol>(['length', 'name']);

/**
 * Has the handlers of an application run in the right context, before anyone takes hold of them: what a queue, a schedule,
 * an event or a bus calls is work of its own, and an Observable that answers a request is that request's to its end.
 */
export function wrapHandlers(modules: ModulesContainer): void {
  for (const { providers, controllers } of modules.values()) {
    for (const { metatype } of [...providers.values(), ...controllers.values()]) {
      if (typeof metatype !== 'function') continue;
      for (const handler of handlersOf(metatype)) wrapHandler(handler);
    }
  }
}

function wrapHandler({ kind, name, method, descriptor, prototype }: Handler): void {
  if (wrapped.has(method) || descriptor.configurable !== true) return;
  const value = kind === 'answer' ? answering(method) : working(method, kind);
  wrapped.add(value);
  Object.defineProperty(prototype, name, { ...descriptor, value });
  if (kind !== 'answer') openSlot(prototype, DEFAULT_TRACER);
}

function working(method: Method, kind: Exclude<HandlerKind, 'answer'>): Method {
  return proxyMethod(method, {
    apply: (target, self: unknown, args: unknown[]) =>
      runHandler({ kind, target, self, args }, () => Reflect.apply(target, self, args)),
  });
}

function answering(method: Method): Method {
  // Until a promise of it was one of something else: to look into each would cost each request one promise more.
  let mayPromiseObservables = true;
  const keptLater = (value: unknown): unknown => {
    const kept = keptInContext(value);
    mayPromiseObservables = kept !== value;
    return kept;
  };
  const kept = (result: unknown): unknown => {
    if (!isPromise(result)) return keptInContext(result);
    return mayPromiseObservables ? result.then(keptLater) : result;
  };
  if (saysMoreOfItself(method))
    return proxyMethod(method, {
      apply: (target, self: unknown, args: unknown[]) => kept(Reflect.apply(target, self, args)),
    });
  // Called by each request: a proxy would cost an untraced route of Fastify one percent.
  return likeMethod(function (this: unknown, ...args) {
    return kept(Reflect.apply(method, this, args));
  }, method);
}

/** Whether there is more to read on it than on any method: what it was decorated with, or properties of its own. */
function saysMoreOfItself(method: Method): boolean {
  return isProxy(method) || Reflect.ownKeys(method).some((key) => !OWN_KEYS.has(key));
}

function keptInContext(result: unknown): unknown {
  if (typeof result !== 'object' || result === null) return result;
  return isObservable(result) ? inSubscribersContext(result) : result;
}
