import { Logger } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { DEFAULT_TRACER, tracerNameOf } from '../tokens.js';
import { tracedMethods } from './traced-methods.js';

const checked = new WeakSet<ModulesContainer>();

/** Says once, at the start of an application, which `@Traced` names a tracer that no module of it makes. */
export function warnOfUnknownTracers(modules: ModulesContainer): void {
  if (checked.has(modules)) return;
  checked.add(modules);
  const tokens = [...modules.values()].flatMap(({ providers }) => [...providers.keys()]);
  const known = new Set(tokens.map(tracerNameOf).filter((name) => name !== undefined));
  const places = new Map<string, Set<string>>();
  for (const { traced, owner, method } of tracedMethods(modules)) {
    const { tracerName } = traced;
    // The only tracer of a process is that of methods which name none.
    if (known.has(tracerName) || (tracerName === DEFAULT_TRACER && known.size === 1)) continue;
    const place = `${owner.constructor.name}.${String(method)}`;
    places.set(tracerName, (places.get(tracerName) ?? new Set()).add(place));
  }
  for (const [name, methods] of places) {
    new Logger('Tracer').warn(
      `@Traced on ${[...methods].join(', ')} records nothing: this application has no ${inWords(name)}, but ` +
        `${[...known].map(inWords).join(', ')}. Correct the name, or import ${importOf(name)}.`,
    );
  }
}

function inWords(name: string): string {
  return name === DEFAULT_TRACER ? 'tracer without a name' : `tracer ${JSON.stringify(name)}`;
}

function importOf(name: string): string {
  return name === DEFAULT_TRACER
    ? 'TracerModule.forRoot()'
    : `TracerModule.forRoot({ name: ${JSON.stringify(name)} })`;
}
