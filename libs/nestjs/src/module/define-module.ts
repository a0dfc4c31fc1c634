import { TRACER_OPTIONS, unregisterTracer } from '@dacapo/tracer/internal';
import { type DynamicModule, Logger, type Provider, type Type } from '@nestjs/common';
import { APP_INTERCEPTOR, ModulesContainer } from '@nestjs/core';
import { DatasetsClient, IndexesClient, Tracer, type TracerOptions } from '@dacapo/tracer';
import { InvalidModuleOptionError } from '../errors.js';
import { TracerHealthIndicator } from '../health/tracer.health-indicator.js';
import { offerReplayContext } from '../replay/context/create-replay-context.js';
import { ReplayService } from '../replay/replay.service.js';
import { TracerInterceptor } from '../requests/tracer.interceptor.js';
import {
  DEFAULT_TRACER,
  getDatasetsToken,
  getIndexesToken,
  getTracerRefToken,
  getTracerToken,
  MODULE_EXTRAS_TOKEN,
  MODULE_OPTIONS_TOKEN,
  MODULE_REF_TOKEN,
  MODULE_TRACER_TOKEN,
  TEST_TRACER_TOKEN,
} from '../tokens.js';
import { noteModuleDefined } from '../tracing/missing-module.js';
import { checkModuleOptions } from './check-module-options.js';
import type { TracerModuleExtras, TracerModuleOptions } from './module-options.js';
import { isTestTracer } from './test-tracer.js';
import { TracerLifecycle } from './tracer-lifecycle.js';
import { TracerRef } from '../tracer-ref.js';

export interface ModuleExtras extends TracerModuleExtras {
  /** The module replaces a missing one in an application under test. */
  readonly isFallback?: boolean;
}

/** Defines the module of one tracer, with all its providers and their tokens. */
export function defineModule(
  module: Type,
  extras: ModuleExtras,
  options: Provider[],
  imports: DynamicModule['imports'] = [],
): DynamicModule {
  offerReplayContext();
  noteModuleDefined();
  const { name = DEFAULT_TRACER, isGlobal = true, interceptor = false } = extras;
  const shared = [...tracerProviders(name), ReplayService, TracerInterceptor, TracerHealthIndicator];
  return {
    module,
    global: isGlobal,
    imports,
    providers: [
      ...options,
      ...shared,
      { provide: MODULE_EXTRAS_TOKEN, useFactory: () => extras },
      { provide: MODULE_REF_TOKEN, useExisting: getTracerRefToken(name) },
      { provide: MODULE_TRACER_TOKEN, useExisting: getTracerToken(name) },
      lifecycleProvider(name, extras.isFallback === true),
      ...(interceptor ? [{ provide: APP_INTERCEPTOR, useExisting: TracerInterceptor }] : []),
    ],
    exports: shared.map((provider) => (typeof provider === 'function' ? provider : provider.provide)),
  };
}

/** The same as the default of `Tracer.shutdown`. */
const DEFAULT_SHUTDOWN_TIMEOUT_MS = 5000;

type NamedProvider = Exclude<Provider, Type>;

function tracerProviders(name: string): NamedProvider[] {
  const tracer = getTracerToken(name);
  const indexes = getIndexesToken(name);
  const datasets = getDatasetsToken(name);
  const inject = [MODULE_OPTIONS_TOKEN, { token: TEST_TRACER_TOKEN, optional: true }];
  const shared: NamedProvider[] = [
    { provide: getTracerRefToken(name), useFactory: () => new TracerRef() },
    { provide: indexes, useFactory: (made: Tracer) => made.indexes, inject: [tracer] },
    { provide: datasets, useFactory: (made: Tracer) => made.datasets, inject: [tracer] },
  ];
  if (name !== DEFAULT_TRACER) return [...shared, { provide: tracer, useFactory: createTracer, inject }];
  return [
    ...shared,
    {
      provide: Tracer,
      useFactory: (modules: ModulesContainer, ...args: Parameters<typeof createTracer>) =>
        findOverride(modules, tracer) ?? createTracer(...args),
      inject: [ModulesContainer, ...inject],
    },
    { provide: tracer, useExisting: Tracer },
    { provide: IndexesClient, useExisting: indexes },
    { provide: DatasetsClient, useExisting: datasets },
  ];
}

/**
 * Finds the value with which a test overrode the token, so that injecting the class `Tracer` returns it too. An override of
 * the class needs no search, because the token is its alias.
 *
 * @throws InvalidModuleOptionError when the override is a class or a factory, which runs after the tracer exists
 */
function findOverride(modules: ModulesContainer, token: string): Tracer | undefined {
  for (const { providers } of modules.values()) {
    const wrapper = providers.get(token);
    if (wrapper === undefined || wrapper.inject?.[0] === Tracer) continue;
    if (wrapper.inject == null && wrapper.isNotMetatype) return wrapper.instance as Tracer;
    throw new InvalidModuleOptionError(
      'getTracerToken()',
      'is overridden by a class or a factory, but Tracer is not, so a tracer with the real key would remain',
      'Override Tracer, which also sets the token: overrideProvider(Tracer).',
    );
  }
  return undefined;
}

function lifecycleProvider(name: string, isFallback: boolean): NamedProvider {
  return {
    provide: TracerLifecycle,
    useFactory: (tracer: Tracer, ref: TracerRef, args: TracerModuleOptions, modules: ModulesContainer) =>
      new TracerLifecycle({
        name,
        tracer,
        ref,
        requests: args,
        isOwner: tracer !== args.tracer,
        isFallback,
        modules,
        shutdownTimeoutMs: args.delivery?.shutdownTimeoutMs ?? DEFAULT_SHUTDOWN_TIMEOUT_MS,
      }),
    inject: [MODULE_TRACER_TOKEN, getTracerRefToken(name), MODULE_OPTIONS_TOKEN, ModulesContainer],
  };
}

/**
 * Returns the tracer of the test if there is one, else the given one, else a new one.
 *
 * @throws InvalidModuleOptionError, InvalidOptionError
 */
function createTracer(options: TracerModuleOptions, test?: unknown): Tracer {
  checkModuleOptions(options);
  if (isTestTracer(test)) return test.tracer;
  if (options.tracer !== undefined) return options.tracer;
  const environment = readEnvironment();
  const tracer = new Tracer({
    logger: new Logger('Tracer'),
    ...pickTracerOptions(options),
    apiKey: options.apiKey ?? environment.apiKey,
    serviceUrl: options.serviceUrl ?? environment.serviceUrl,
  });
  // `onModuleInit` registers it again. It never runs in an application that fails to start.
  unregisterTracer(tracer);
  return tracer;
}

/** Key and address from the environment. An empty variable counts as absent. */
export function readEnvironment(
  env: NodeJS.ProcessEnv = process.env,
): Pick<TracerOptions, 'apiKey' | 'serviceUrl'> {
  const { TRACER_API_KEY: apiKey, TRACER_SERVICE_URL: serviceUrl } = env;
  return { ...(apiKey && { apiKey }), ...(serviceUrl && { serviceUrl }) };
}

/** Drops the module's own options and those that are `undefined`. Reads by name, because a class may have getters. */
function pickTracerOptions(options: TracerModuleOptions): TracerOptions {
  const fields = options as Readonly<Record<string, unknown>>;
  const entries = Object.keys(TRACER_OPTIONS).map((name) => [name, fields[name]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
