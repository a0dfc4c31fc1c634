import { isPromise } from 'node:util/types';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { type InstanceWrapper, visitEnhancers } from '../container.js';
import { proxyMethod, replaceMethod } from '../tracing/proxy-method.js';
import type { Method } from '../tracing/traced-method.js';
import { requestServedBy } from './http-request.js';
import { TracerInterceptor } from './tracer.interceptor.js';

const bound = new WeakSet<Method>();

type Factory = (...injected: unknown[]) => unknown;

/**
 * Makes `next.handle()` run in the context of the request, wherever an interceptor calls it. Covers the interceptors that
 * the container creates, not those created with `new`.
 */
export function bindInterceptors(modules: ModulesContainer): void {
  visitEnhancers(modules, 'interceptor', bindProvided);
}

function bindProvided(wrapper: InstanceWrapper): void {
  const { metatype } = wrapper;
  if (wrapper.isDependencyTreeStatic() && !wrapper.isTransient)
    bindInterceptor(wrapper.instance as NestInterceptor);
  else if (wrapper.inject === undefined || wrapper.inject === null) {
    // In request or transient scope, the class is bound.
    if (typeof metatype === 'function') bindInterceptor(metatype.prototype as NestInterceptor);
  } else {
    const make = metatype as Factory;
    const bindMade: Factory = (...injected) => {
      const made = make(...injected);
      if (isPromise(made)) return made.then(bindIfPossible);
      return bindIfPossible(made);
    };
    wrapper.metatype = bindMade;
  }
}

function bindIfPossible(made: unknown): unknown {
  try {
    bindInterceptor(made as NestInterceptor);
  } catch {
    // A frozen object, or no object: Nest reports that.
  }
  return made;
}

/** @param holder an interceptor, or the prototype of its class */
function bindInterceptor(holder: NestInterceptor): void {
  const { intercept: original } = holder as unknown as { intercept: Method };
  // `TracerInterceptor` enters the request itself.
  if (bound.has(original) || holder instanceof TracerInterceptor) return;
  const value = proxyMethod(original, {
    apply(intercept, self: unknown, [context, next]: [ExecutionContext, CallHandler]) {
      const request = requestServedBy(context);
      const handler = request === undefined ? next : { handle: () => request.enter(() => next.handle()) };
      return Reflect.apply(intercept, self, [context, handler]);
    },
  });
  replaceMethod(holder, 'intercept', value);
  bound.add(value);
}
