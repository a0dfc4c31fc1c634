import { Logger } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { isBound } from '@dacapo/tracer/internal';
import { visitSingletons } from '../container.js';
import { DEFAULT_TRACER, parseTracerToken } from '../tokens.js';
import { tracedMethods } from '../tracing/traced-methods.js';

const checked = new WeakSet<ModulesContainer>();

/** Warns once per application about `@Traced` methods that name a tracer which no module provides. */
export function warnAboutUnknownTracers(modules: ModulesContainer): void {
  if (checked.has(modules)) return;
  checked.add(modules);
  const tokens = [...modules.values()].flatMap(({ providers }) => [...providers.keys()]);
  const known = new Set(tokens.map(parseTracerToken).filter((name) => name !== undefined));
  const places = new Map<string, Set<string>>();
  for (const { traced, owner, method } of tracedMethods(modules)) {
    const { tracerName } = traced;
    // Methods without a tracer name use the only tracer of the process, whatever its name.
    if (known.has(tracerName) || (tracerName === DEFAULT_TRACER && known.size === 1)) continue;
    const place = `${owner.constructor.name}.${String(method)}`;
    places.set(tracerName, (places.get(tracerName) ?? new Set()).add(place));
  }
  for (const [name, methods] of places) {
    warn(
      `@Traced on ${[...methods].join(', ')} records nothing: this application has no ${describeTracer(name)}, but ` +
        `${[...known].map(describeTracer).join(', ')}. Correct the name, or import ${describeImport(name)}.`,
    );
  }
}

function describeTracer(name: string): string {
  return name === DEFAULT_TRACER ? 'tracer without a name' : `tracer ${JSON.stringify(name)}`;
}

function describeImport(name: string): string {
  return name === DEFAULT_TRACER
    ? 'TracerModule.forRoot()'
    : `TracerModule.forRoot({ name: ${JSON.stringify(name)} })`;
}

/**
 * Warns about unrelated classes whose traced methods share a key: a replay of the key would run the calls of one class
 * through the method of another.
 */
export function warnAboutSharedKeys(modules: ModulesContainer, tracerName: string): void {
  const byKey = new Map<string, Map<object, string>>();
  for (const { traced, owner, method } of tracedMethods(modules)) {
    if (traced.tracerName !== tracerName) continue;
    const owners = byKey.get(traced.key) ?? new Map<object, string>();
    byKey.set(traced.key, owners.set(owner, `${owner.constructor.name}.${String(method)}`));
  }
  for (const [key, owners] of byKey) {
    const unrelated = [...owners.keys()].filter(
      (owner, index, all) =>
        !all.some((other, at) => at !== index && Object.prototype.isPrototypeOf.call(other, owner)),
    );
    if (unrelated.length < 2) continue;
    const names = unrelated.map((owner) => owners.get(owner)).join(', ');
    warn(
      `Several classes record under the key ${JSON.stringify(key)}: ${names}. Use one key per class; otherwise a replay runs the calls of one class through another.`,
    );
  }
}

/**
 * Warns about a DataLoader that requests share: its batch runs in the context of the request that loads first, so the
 * trace of that request gets the calls, and the keys, of all others.
 */
export function warnAboutSharedLoaders(modules: ModulesContainer): void {
  visitSingletons(modules, (instance) => {
    const place = findLoader(instance);
    if (place === undefined) return;
    warn(
      `${place} is a DataLoader shared by requests, so the calls of its batch are recorded in the trace of the first ` +
        'request. Create one per request, or record batches in separate traces: ' +
        'new DataLoader(bind(batch)), with bind of @dacapo/tracer.',
    );
  });
}

function findLoader(instance: object): string | undefined {
  if (isUnboundLoader(instance)) return 'A provider';
  const property = Object.keys(instance).find((name) =>
    isUnboundLoader(Object.getOwnPropertyDescriptor(instance, name)?.value),
  );
  return property === undefined ? undefined : `${instance.constructor.name}.${property}`;
}

/** Recognizes a DataLoader and its batch function by their shape. */
function isUnboundLoader(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { load, loadMany, prime, _batchLoadFn: batch } = value as Record<string, unknown>;
  return [load, loadMany, prime, batch].every((member) => typeof member === 'function') && !isBound(batch);
}

function warn(message: string): void {
  new Logger('Tracer').warn(message);
}
