import type { Type } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { ReplayContextError } from '../errors.js';
import { findMarked } from './left-out.js';
import { NOT_HELD_BACK, SQS_MARK, type StartedWork, type Starter, STARTERS } from './starters.js';

const START_HOOKS = ['onModuleInit', 'onApplicationBootstrap'] as const;

/**
 * Keeps an application whose instances are there, and whose hooks have not run yet, from starting work automatically.
 *
 * @param holdBack classes of the application, or of libraries that are not known here, whose hooks do not run
 * @throws ReplayContextError when a library would start something all the same, or may: work is declared, and what starts it was
 * not recognized
 */
export async function holdBackWork(
  modules: ModulesContainer,
  started: ReadonlySet<StartedWork>,
  holdBack: readonly Type[],
): Promise<void> {
  await refuseStartedWorkers(modules, started);
  const silenced = new Set<Starter>();
  const modulesWithHeld = new Set<unknown>();
  for (const { module, instance } of instancesOf(modules)) {
    if (holdBack.some((type) => instance instanceof type)) {
      silence(instance, START_HOOKS);
      modulesWithHeld.add(module);
    }
    for (const starter of STARTERS) {
      if (started.has(starter.work) || !starter.shape.every((name) => typeof instance[name] === 'function'))
        continue;
      silence(instance, starter.silenced);
      silenced.add(starter);
    }
  }
  for (const starter of STARTERS) {
    if (started.has(starter.work) || silenced.has(starter)) continue;
    const [declared] = findMarked(modules, starter.marks);
    if (declared !== undefined && modulesWithHeld.size === 0)
      throw notRecognized(declared.name, starter.work);
  }
  if (started.has('consumers')) return;
  for (const { metatype } of modules.values())
    if (NOT_HELD_BACK.has(metatype.name) && !modulesWithHeld.has(metatype))
      throw cannotHoldBack(metatype.name, 'consumers');
  const [consumer] = findMarked(modules, SQS_MARK);
  if (consumer !== undefined && modulesWithHeld.size === 0) throw notRecognized(consumer.name, 'consumers');
}

/** Keeps everything from starting: for an application that is closed again at once. */
export function holdBackAll(modules: ModulesContainer): void {
  for (const { instance } of instancesOf(modules)) silence(instance, START_HOOKS);
}

/** What of the application's own code runs when it starts: `Class.hook`. */
export function listHooks(modules: ModulesContainer, except: Type): string[] {
  const hooks = new Set<string>();
  for (const { instance } of instancesOf(modules)) {
    if (instance instanceof except) continue;
    for (const hook of START_HOOKS)
      if (typeof instance[hook] === 'function' && !Object.hasOwn(instance, hook))
        hooks.add(`${instance.constructor.name}.${hook}`);
  }
  return [...hooks];
}

interface FoundInstance {
  readonly module: Type;
  readonly instance: Record<string, unknown>;
}

function* instancesOf(modules: ModulesContainer): Generator<FoundInstance> {
  for (const { metatype, providers, controllers } of modules.values()) {
    for (const wrapper of [...providers.values(), ...controllers.values()]) {
      const instance = wrapper.isAlias || !wrapper.isDependencyTreeStatic() ? undefined : wrapper.instance;
      if (typeof instance !== 'object' || instance === null) continue;
      yield { module: metatype, instance: instance as Record<string, unknown> };
    }
  }
}

/** On this instance alone: other applications of the process share its class. */
function silence(instance: Record<string, unknown>, methods: readonly string[]): boolean {
  const there = methods.filter((method) => typeof instance[method] === 'function');
  for (const method of there)
    Object.defineProperty(instance, method, { value: () => undefined, configurable: true, writable: true });
  return there.length > 0;
}

/** Workers that are named in the options of a queue are made with the queue, before anyone can hold them back. */
async function refuseStartedWorkers(
  modules: ModulesContainer,
  started: ReadonlySet<StartedWork>,
): Promise<void> {
  if (started.has('queues')) return;
  for (const { providers } of modules.values()) {
    for (const [token, { instance }] of providers) {
      const name = typeof token === 'string' ? /^Bull(?:MQ)?QueueOptions_(.*)$/s.exec(token)?.[1] : undefined;
      const { processors = [] } = (instance ?? {}) as { processors?: unknown[] };
      if (name === undefined || processors.length === 0) continue;
      const queue = providers.get(`BullQueue_${name}`)?.instance as Partial<Closing> | undefined;
      await queue?.onApplicationShutdown?.();
      throw new ReplayContextError(
        `Queue ${name} has processors in its options, whose workers start when the queue is made`,
        "Write them as classes with @Processor, which a replay can leave out, or ask for them with start: ['queues'].",
      );
    }
  }
}

interface Closing {
  onApplicationShutdown(): Promise<void>;
}

/** The library may be a version that starts its work another way, or there is nothing that starts it. */
function notRecognized(declared: string, work: StartedWork): ReplayContextError {
  return new ReplayContextError(
    `${declared} declares ${work}, and what starts them in this application was not recognized`,
    `Name the provider that starts them in holdBack, or, if nothing starts them or they may run, write start: ['${work}'].`,
  );
}

function cannotHoldBack(moduleName: string, work: StartedWork): ReplayContextError {
  return new ReplayContextError(
    `${moduleName} starts ${work} in a way that cannot be held back`,
    `Leave the module out of what you replay, name the provider that starts them in holdBack, or ask for them with start: ['${work}'].`,
  );
}
