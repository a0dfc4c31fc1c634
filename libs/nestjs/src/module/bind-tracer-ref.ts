import type { ModulesContainer } from '@nestjs/core';
import { slotOf } from '../tracing/tracer-slot.js';
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
        const slots = instance as Record<symbol, TracerRef | undefined>;
        // One value may serve several applications, one after the other.
        if (slots[slot] === undefined || slots[slot].isClosed) slots[slot] = ref;
      } catch {
        // A proxy that answers only inside a request: its calls find the tracer another way.
      }
    }
  }
}
