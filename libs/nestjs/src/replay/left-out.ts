import type { ModulesContainer } from '@nestjs/core';
import { prototypesIn } from '../container.js';
import { providedMethods, tracedMethods } from '../tracing/traced-methods.js';
import { type Mark, SQS_MARK, type StartedWork, STARTERS } from './starters.js';

/** Work of the application that a replay does not start. */
export interface LeftOut {
  /** `messages` and `gateways` need a listening application, so a replay never starts them. */
  readonly work: StartedWork | 'messages' | 'gateways';
  /** `Class.method`, or the class if all of it is skipped. */
  readonly name: string;
}

interface MarkedWork {
  readonly work: LeftOut['work'];
  readonly marks: Mark;
}

const MARKED: readonly MarkedWork[] = [
  ...STARTERS,
  { work: 'consumers', marks: SQS_MARK },
  { work: 'messages', marks: { on: 'methods', key: 'microservices:pattern' } },
  { work: 'gateways', marks: { on: 'classes', key: 'websockets:is_gateway' } },
];

/** Lists the work that a replay does not start, each once. */
export function listLeftOut(modules: ModulesContainer, started: ReadonlySet<string>): LeftOut[] {
  const found = new Map<string, LeftOut>();
  for (const { work, marks } of MARKED)
    if (!started.has(work))
      for (const { name } of findMarked(modules, marks)) found.set(`${work} ${name}`, { work, name });
  return [...found.values()];
}

/** By application: keys of traced methods that nothing calls, because their event listeners and handlers were skipped. */
const leftOutKeys = new WeakMap<ModulesContainer, ReadonlySet<string>>();

/** Stores the keys of traced event listeners and handlers that the replay skips. */
export function noteLeftOutKeys(modules: ModulesContainer, started: ReadonlySet<string>): void {
  const keys = new Set<string>();
  const places = MARKED.filter(({ work }) => work === 'events' && !started.has(work)).flatMap(({ marks }) =>
    findMarked(modules, marks),
  );
  for (const { prototype, method, traced } of tracedMethods(modules))
    if (places.some((place) => place.prototype === prototype && (place.method ?? method) === method))
      keys.add(traced.key);
  leftOutKeys.set(modules, keys);
}

export function readLeftOutKeys(modules: ModulesContainer): ReadonlySet<string> | undefined {
  return leftOutKeys.get(modules);
}

/** A method or class that a library's decorator marked. */
export interface MarkedPlace {
  readonly prototype: object;
  /** Absent if the class is marked. */
  readonly method?: string | symbol;
  /** `Class.method` or `Class`. */
  readonly name: string;
}

export function findMarked(modules: ModulesContainer, { on, key }: Mark): MarkedPlace[] {
  if (on === 'classes')
    return Array.from(prototypesIn(modules), ([, prototype]) => ({
      prototype,
      name: prototype.constructor.name,
    })).filter(({ prototype }) => hasMetadata(prototype.constructor, key));
  return Array.from(providedMethods(modules))
    .filter(({ owner, method }) => hasMetadata((owner as Record<string | symbol, object>)[method], key))
    .map(({ prototype, method }) => ({
      prototype,
      method,
      name: `${prototype.constructor.name}.${String(method)}`,
    }));
}

function hasMetadata(target: object | undefined, key: string): boolean {
  if (target === undefined) return false;
  return (Reflect.getMetadataKeys(target) as unknown[]).some(
    (found) => found === key || (typeof found === 'symbol' && found.description === key),
  );
}

/** Formats the list for a log, grouped by kind of work. */
export function describeLeftOut(leftOut: readonly LeftOut[]): string {
  const names = new Map<string, string[]>();
  for (const { work, name } of leftOut) names.set(work, [...(names.get(work) ?? []), name]);
  return Array.from(names, ([work, grouped]) => `${work} (${grouped.join(', ')})`).join(', ');
}
