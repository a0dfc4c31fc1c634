import { Logger } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { isBound } from '@dacapo/tracer/internal';

/**
 * Tells of a DataLoader that requests share: its batch runs in the context of the one that was first to load, so what it
 * calls would be in that one's trace, the keys of all others included.
 */
export function warnOfSharedLoaders(modules: ModulesContainer): void {
  for (const { providers, controllers } of modules.values()) {
    for (const wrapper of [...providers.values(), ...controllers.values()]) {
      try {
        if (!wrapper.isDependencyTreeStatic() || wrapper.isTransient) continue;
        const place = placeOfLoader(wrapper.instance);
        if (place === undefined) continue;
        new Logger('Tracer').warn(
          `${place} is a DataLoader that requests share: what its batch calls is recorded in the trace of whichever ` +
            'request was first. Make one for each request, or keep batches in traces of their own: ' +
            'new DataLoader(bind(batch)), with bind of @dacapo/tracer.',
        );
      } catch {
        // A proxy that answers only inside a request.
      }
    }
  }
}

function placeOfLoader(instance: unknown): string | undefined {
  if (typeof instance !== 'object' || instance === null) return undefined;
  if (isUnboundLoader(instance)) return 'A provider';
  const property = Object.keys(instance).find((name) =>
    isUnboundLoader(Object.getOwnPropertyDescriptor(instance, name)?.value),
  );
  return property === undefined ? undefined : `${instance.constructor.name}.${property}`;
}

/** By its shape, the batch function included. */
function isUnboundLoader(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { load, loadMany, prime, _batchLoadFn: batch } = value as Record<string, unknown>;
  return [load, loadMany, prime, batch].every((member) => typeof member === 'function') && !isBound(batch);
}
