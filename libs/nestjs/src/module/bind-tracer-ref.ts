import type { ModulesContainer } from '@nestjs/core';
import { fillSlot, slotOf } from '../tracing/tracer-slot.js';
import type { TracerRef } from './tracer-ref.js';

/**
 * Gives the ref to instances that the container did not make itself, `useFactory` and `useValue`, which property
 * injection passes by. Nothing is wrapped here.
 */
export function bindTracerRef(modules: ModulesContainer, name: string, ref: TracerRef): void {
  const slot = slotOf(name);
  for (const { providers, controllers } of modules.values()) {
    for (const wrapper of [...providers.values(), ...controllers.values()]) {
      try {
        if (!wrapper.isDependencyTreeStatic() || wrapper.isTransient) continue;
        const instance: unknown = wrapper.instance;
        if (typeof instance !== 'object' || instance === null || !(slot in instance)) continue;
        if ((instance as Record<symbol, unknown>)[slot] === undefined) fillSlot(instance, slot, ref);
      } catch {
        // A proxy that answers only inside a request, or a frozen object: its calls find the tracer another way.
      }
    }
  }
}
