import { toMembers } from '@dacapo/protocol';
import type { AnyFunction } from '../../recording/span-definition.js';
import type { BamlClient, BamlCollector } from './baml-types.js';

/**
 * Adds a collector to the options of a call, its last argument.
 *
 * The client merges the other options itself. Collectors in a call's options replace the client's own, so those are added as well.
 */
export function withCollector(
  client: BamlClient,
  method: AnyFunction,
  args: readonly unknown[],
  collector: BamlCollector,
): unknown[] {
  const position = Math.max(method.length - 1, 0);
  const options = toMembers(args[position]);
  const theirs = 'collector' in options ? options.collector : client.bamlOptions?.collector;
  const merged: unknown[] = Array.from({ length: position }, (_, index) => args[index]);
  merged.push({ ...options, collector: [...toList(theirs), collector] }, ...args.slice(position + 1));
  return merged;
}

/** Options that only observe a call or say where it runs. A replayed call does not need them. */
const OBSERVERS = new Set(['collector', 'signal', 'onTick', 'watchers', 'env']);

/** Returns the arguments to record: without options that do not change the request and cannot be restored. */
export function withoutObservers(method: AnyFunction, args: readonly unknown[]): readonly unknown[] {
  const position = Math.max(method.length - 1, 0);
  const options = toMembers(args[position]);
  const names = Object.keys(options);
  if (!names.some((name) => OBSERVERS.has(name))) return args;
  const kept = names.filter((name) => !OBSERVERS.has(name) && options[name] !== undefined);
  const rest = args.slice(position + 1);
  if (kept.length === 0 && rest.length === 0) return args.slice(0, position);
  return [...args.slice(0, position), Object.fromEntries(kept.map((name) => [name, options[name]])), ...rest];
}

function toList(collectors: unknown): unknown[] {
  if (collectors === undefined || collectors === null) return [];
  return Array.isArray(collectors) ? collectors : [collectors];
}
