import type { ModulesContainer } from '@nestjs/core';
import { DEFAULT_TRACER } from '../tokens.js';
import { proxyMethod } from '../tracing/proxy-method.js';
import type { Method } from '../tracing/traced-method.js';
import { openSlot } from '../tracing/tracer-slot.js';
import { type Handler, handlersOf } from './handler-kinds.js';
import { runHandler } from './run-handler.js';

const wrapped = new WeakSet<Method>();

/** Makes each call of a handler by a queue, a schedule, an event or a bus a piece of work, before anyone takes hold of it. */
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
  const value = proxyMethod(method, {
    apply: (target, self: unknown, args: unknown[]) =>
      runHandler({ kind, target, self, args }, () => Reflect.apply(target, self, args)),
  });
  wrapped.add(value);
  Object.defineProperty(prototype, name, { ...descriptor, value });
  openSlot(prototype, DEFAULT_TRACER);
}
