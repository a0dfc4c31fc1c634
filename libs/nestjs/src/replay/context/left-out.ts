import type { ModulesContainer } from '@nestjs/core';
import { prototypesOf } from '../../tracing/traced-methods.js';
import type { StartedWork } from './starters.js';

/** One thing of the application that does not run by itself in a replay. */
export interface LeftOut {
  /** `messages` and `gateways` need a listening application, and are never started for a replay. */
  readonly work: StartedWork | 'messages' | 'gateways';
  /** `Class.method`, or the class where all of it is meant. */
  readonly name: string;
}

/** What decorators of the libraries leave on methods. */
const ON_METHODS: readonly (readonly [LeftOut['work'], string])[] = [
  ['schedules', 'SCHEDULER_TYPE'],
  ['events', 'EVENT_LISTENER_METADATA'],
  ['consumers', 'RABBIT_HANDLER'],
  ['messages', 'microservices:pattern'],
];

/** And on classes. */
const ON_CLASSES: readonly (readonly [LeftOut['work'], string])[] = [
  ['queues', 'bullmq:processor_metadata'],
  ['queues', 'bull:module_queue'],
  ['events', '__eventsHandler__'],
  ['sagas', '__saga__'],
  ['gateways', 'websockets:is_gateway'],
];

/** What an application under replay does not do by itself, each once. */
export function listLeftOut(modules: ModulesContainer, started: ReadonlySet<string>): LeftOut[] {
  const found = new Map<string, LeftOut>();
  const add = (work: LeftOut['work'], name: string): void => {
    if (!started.has(work)) found.set(`${work} ${name}`, { work, name });
  };
  for (const [, prototype] of prototypesOf(modules)) {
    const { constructor } = prototype;
    for (const [work, key] of ON_CLASSES)
      if (Reflect.hasMetadata(key, constructor)) add(work, constructor.name);
    for (const [name, method] of methodsOf(prototype))
      for (const [work, key] of ON_METHODS)
        if (Reflect.hasMetadata(key, method)) add(work, `${constructor.name}.${name}`);
  }
  return [...found.values()];
}

/** For a log: each kind once, with its names. */
export function describeLeftOut(leftOut: readonly LeftOut[]): string {
  const names = new Map<string, string[]>();
  for (const { work, name } of leftOut) names.set(work, [...(names.get(work) ?? []), name]);
  return Array.from(names, ([work, those]) => `${work} (${those.join(', ')})`).join(', ');
}

function* methodsOf(prototype: object): Generator<[string, object]> {
  const seen = new Set<string>();
  let owner: object | null = prototype;
  for (
    ;
    owner !== null && owner !== Object.prototype;
    owner = Object.getPrototypeOf(owner) as object | null
  ) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      if (typeof value !== 'function' || name === 'constructor' || seen.has(name)) continue;
      seen.add(name);
      yield [name, value as object];
    }
  }
}
