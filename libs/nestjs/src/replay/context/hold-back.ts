import type { OnApplicationShutdown, Type } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { replaceMethod } from '../../tracing/proxy-method.js';
import { ReplayContextError } from '../errors.js';
import { findMarked } from '../left-out.js';
import { NOT_HELD_BACK, SQS_MARK, type StartedWork, type Starter, STARTERS } from '../starters.js';

const START_HOOKS = ['onModuleInit', 'onApplicationBootstrap'] as const;

/**
 * Prevents an application from starting work. Call it when all instances exist and before any hook runs.
 *
 * @param holdBack classes whose start hooks do not run, of the application or of libraries unknown to this package
 * @throws ReplayContextError when a library would start work that cannot be held back, or when work is declared and its starter
 * was not recognized
 */
export async function holdBackWork(
  modules: ModulesContainer,
  started: ReadonlySet<StartedWork>,
  holdBack: readonly Type[],
): Promise<void> {
  await refuseStartedWorkers(modules, started);
  const silenced = new Set<Starter>();
  const modulesWithHeld = new Set<unknown>();
  for (const { module, instance } of instancesIn(modules)) {
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

/** Prevents all start hooks from running, for an application that is closed at once. */
export function holdBackAll(modules: ModulesContainer): void {
  for (const { instance } of instancesIn(modules)) silence(instance, START_HOOKS);
}

/** The start hooks that still run, as `Class.hook`. */
export function listHooks(modules: ModulesContainer, except: Type): string[] {
  const hooks = new Set<string>();
  for (const { instance } of instancesIn(modules)) {
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

function* instancesIn(modules: ModulesContainer): Generator<FoundInstance> {
  for (const { metatype, providers, controllers } of modules.values()) {
    for (const wrapper of [...providers.values(), ...controllers.values()]) {
      const instance = wrapper.isAlias || !wrapper.isDependencyTreeStatic() ? undefined : wrapper.instance;
      if (typeof instance !== 'object' || instance === null) continue;
      yield { module: metatype, instance: instance as Record<string, unknown> };
    }
  }
}

/** Replaces methods of this instance only, because other applications of the process share its class. */
function silence(instance: Record<string, unknown>, methods: readonly string[]): void {
  for (const method of methods)
    if (typeof instance[method] === 'function') replaceMethod(instance, method, () => undefined);
}

/** Workers in the options of a queue are created with the queue, before they can be held back. */
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
      const queue = providers.get(`BullQueue_${name}`)?.instance as
        Partial<OnApplicationShutdown> | undefined;
      await queue?.onApplicationShutdown?.();
      throw new ReplayContextError(
        `Queue ${name} has processors in its options, whose workers start with the queue`,
        "Write them as classes with @Processor, which a replay can skip, or start them with start: ['queues'].",
      );
    }
  }
}

/** The library may have another version that starts its work differently, or nothing may start it. */
function notRecognized(declared: string, work: StartedWork): ReplayContextError {
  return new ReplayContextError(
    `${declared} declares ${work}, but their starter in this application was not recognized`,
    `Name the provider that starts them in holdBack. If nothing starts them or they may run, write start: ['${work}'].`,
  );
}

function cannotHoldBack(moduleName: string, work: StartedWork): ReplayContextError {
  return new ReplayContextError(
    `${moduleName} starts ${work} in a way that cannot be held back`,
    `Replay without the module, name the provider that starts them in holdBack, or start them with start: ['${work}'].`,
  );
}
