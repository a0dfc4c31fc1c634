import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import type { TracerRef } from '../module/tracer-ref.js';
import { proxyMethod } from '../tracing/proxy-method.js';
import type { Method } from '../tracing/traced-method.js';
import { guardMessage, type Verdict } from './guard-message.js';

interface GuardBinding {
  readonly ref: TracerRef;
  /** Gives way to another module of the same application. */
  readonly isFallback: boolean;
}

const bindings = new WeakMap<CanActivate, GuardBinding>();

/**
 * Has the guards that the container holds run inside the message that they guard. Those in request scope, and those made
 * with `new`, it does not hold.
 */
export function bindGuards(modules: ModulesContainer, binding: GuardBinding): void {
  for (const { providers, injectables } of modules.values()) {
    for (const wrapper of [...providers.values(), ...injectables.values()]) {
      try {
        if (wrapper.subtype !== 'guard' || !wrapper.isDependencyTreeStatic() || wrapper.isTransient) continue;
        bindGuard(wrapper.instance as CanActivate, binding);
      } catch {
        // A proxy that answers only inside a request, or a frozen object: what it calls starts a trace of its own.
      }
    }
  }
}

function bindGuard(guard: CanActivate, binding: GuardBinding): void {
  const present = bindings.get(guard);
  if (present === undefined) {
    const { canActivate: original } = guard as unknown as { canActivate: Method };
    const value = proxyMethod(original, {
      apply(canActivate, self: CanActivate, args: [ExecutionContext]) {
        const judge = (): Verdict => Reflect.apply(canActivate, self, args) as Verdict;
        const { ref } = bindings.get(guard) ?? binding;
        return guardMessage(guard.constructor.name, args[0], ref, judge);
      },
    });
    Object.defineProperty(guard, 'canActivate', { value, configurable: true, writable: true });
  }
  if (present === undefined || present.isFallback || present.ref.isClosed || !binding.isFallback)
    bindings.set(guard, binding);
}
