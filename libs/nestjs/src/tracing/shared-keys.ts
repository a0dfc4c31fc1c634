import { Logger } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { tracedMethods } from './traced-methods.js';

/**
 * Says once, at the start, which classes have traced methods under one key though neither extends the other: a replay of
 * the key would play the calls of one through the method of the other.
 */
export function warnOfSharedKeys(modules: ModulesContainer, tracerName: string): void {
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
    new Logger('Tracer').warn(
      `Several classes record under the key ${JSON.stringify(key)}: ${names}. Give each a key of its own, or a replay plays the calls of one through another.`,
    );
  }
}
