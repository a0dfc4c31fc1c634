import { toMembers } from '@dacapo/protocol';
import type { AnyFunction } from '../../recording/span-definition.js';
import type { BamlClient, BamlCollector } from './baml-types.js';

/**
 * The arguments of a call with one more collector in its options, which stand last.
 *
 * The client merges the other options itself. A collector in a call's options replaces the client's own, so those that
 * would have been used are kept beside ours.
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

/** Options that watch a call, or say where it runs: another call with the same arguments has its own, or none. */
const OBSERVERS = new Set(['collector', 'signal', 'onTick', 'watchers', 'env']);

/** The arguments of a call as they are recorded: without what changes nothing of it and cannot be made again. */
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
