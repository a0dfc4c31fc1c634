import type { ModulesContainer } from '@nestjs/core';
import { prototypesOf, providedMethods, tracedMethods } from '../../tracing/traced-methods.js';
import { type Mark, SQS_MARK, type StartedWork, STARTERS } from './starters.js';

/** Work of the application that a replay does not start. */
export interface LeftOut {
  /** `messages` and `gateways` need a listening application, and are never started for a replay. */
  readonly work: StartedWork | 'messages' | 'gateways';
  /** `Class.method`, or the class where all of it is meant. */
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

/** The work that an application under replay does not start, each once. */
export function listLeftOut(modules: ModulesContainer, started: ReadonlySet<string>): LeftOut[] {
  const found = new Map<string, LeftOut>();
  for (const { work, marks } of MARKED)
    if (!started.has(work))
      for (const { name } of findMarked(modules, marks)) found.set(`${work} ${name}`, { work, name });
  return [...found.values()];
}

/** Keys of traced methods that nothing calls in an application, because its listeners and handlers of events were skipped. */
const leftOutKeys = new WeakMap<ModulesContainer, ReadonlySet<string>>();

/** Notes the keys of the traced methods among the events that `listLeftOut` lists, for {@link leftOutKeysOf}. */
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

export function leftOutKeysOf(modules: ModulesContainer): ReadonlySet<string> | undefined {
  return leftOutKeys.get(modules);
}

/** What a decorator of a library has marked. */
export interface MarkedPlace {
  readonly prototype: object;
  /** Absent where the class is marked. */
  readonly method?: string | symbol;
  /** `Class.method`, or the class. */
  readonly name: string;
}

export function findMarked(modules: ModulesContainer, { on, key }: Mark): MarkedPlace[] {
  if (on === 'classes')
    return Array.from(prototypesOf(modules), ([, prototype]) => ({
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

/** For a log: each kind once, with its names. */
export function describeLeftOut(leftOut: readonly LeftOut[]): string {
  const names = new Map<string, string[]>();
  for (const { work, name } of leftOut) names.set(work, [...(names.get(work) ?? []), name]);
  return Array.from(names, ([work, those]) => `${work} (${those.join(', ')})`).join(', ');
}
