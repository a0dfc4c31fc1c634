import { isPromise } from 'node:util/types';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { proxyMethod } from '../tracing/proxy-method.js';
import type { Method } from '../tracing/traced-method.js';
import { httpRequestIn } from './http-request.js';
import { TracerInterceptor } from './tracer.interceptor.js';

const bound = new WeakSet<Method>();

type Factory = (...injected: unknown[]) => unknown;

/**
 * Has what comes after an interceptor run in the context of its request, wherever the interceptor calls `next.handle()`:
 * of those that the container holds or makes, and not of those made with `new`.
 */
export function bindInterceptors(modules: ModulesContainer): void {
  for (const { providers, injectables } of modules.values()) {
    for (const wrapper of [...providers.values(), ...injectables.values()]) {
      try {
        if (wrapper.subtype === 'interceptor') bindMadeBy(wrapper as InstanceWrapper<NestInterceptor>);
      } catch {
        // A proxy that answers only inside a request, or a frozen object: it calls the next one where it is.
      }
    }
  }
}

function bindMadeBy(wrapper: InstanceWrapper<NestInterceptor>): void {
  const { metatype } = wrapper;
  if (wrapper.isDependencyTreeStatic() && !wrapper.isTransient) bindInterceptor(wrapper.instance);
  else if (wrapper.inject === undefined || wrapper.inject === null) {
    // Made for each request or for each who injects it: bound on its class.
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
    // A frozen object, or none: Nest says what is wrong with it.
  }
  return made;
}

/** @param holder the interceptor, or the prototype of all of its class */
function bindInterceptor(holder: NestInterceptor): void {
  const { intercept: original } = holder as unknown as { intercept: Method };
  // Ours does it itself.
  if (bound.has(original) || holder instanceof TracerInterceptor) return;
  const value = proxyMethod(original, {
    apply(intercept, self: unknown, [context, next]: [ExecutionContext, CallHandler]) {
      const request = httpRequestIn(context);
      const handler = request === undefined ? next : { handle: () => request.enter(() => next.handle()) };
      return Reflect.apply(intercept, self, [context, handler]);
    },
  });
  Object.defineProperty(holder, 'intercept', { value, configurable: true, writable: true });
  bound.add(value);
}
