import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { proxyMethod } from '../tracing/proxy-method.js';
import type { Method } from '../tracing/traced-method.js';
import { httpRequestIn } from './http-request.js';
import { TracerInterceptor } from './tracer.interceptor.js';

const bound = new WeakSet<NestInterceptor>();

/**
 * Has what comes after an interceptor run in the context of its request, wherever the interceptor calls `next.handle()`:
 * of those that the container holds, which are not in request scope nor made with `new`.
 */
export function bindInterceptors(modules: ModulesContainer): void {
  for (const { providers, injectables } of modules.values()) {
    for (const wrapper of [...providers.values(), ...injectables.values()]) {
      try {
        if (wrapper.subtype !== 'interceptor' || !wrapper.isDependencyTreeStatic() || wrapper.isTransient)
          continue;
        bindInterceptor(wrapper.instance as NestInterceptor);
      } catch {
        // A proxy that answers only inside a request, or a frozen object: it calls the next one where it is.
      }
    }
  }
}

function bindInterceptor(interceptor: NestInterceptor): void {
  // Ours does it itself.
  if (bound.has(interceptor) || interceptor instanceof TracerInterceptor) return;
  const { intercept: original } = interceptor as unknown as { intercept: Method };
  const value = proxyMethod(original, {
    apply(intercept, self: unknown, [context, next]: [ExecutionContext, CallHandler]) {
      const span = httpRequestIn(context)?.span;
      const handler = span === undefined ? next : { handle: () => span.enter(() => next.handle()) };
      return Reflect.apply(intercept, self, [context, handler]);
    },
  });
  Object.defineProperty(interceptor, 'intercept', { value, configurable: true, writable: true });
  bound.add(interceptor);
}
