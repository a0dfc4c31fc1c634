import type { DynamicModule, Provider, Type } from '@nestjs/common';
import { APP_INTERCEPTOR, ModulesContainer } from '@nestjs/core';
import { DatasetsClient, IndexesClient, Tracer } from '@dacapo/tracer';
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
  MODULE_EXTRAS,
  MODULE_OPTIONS,
  MODULE_REF,
  MODULE_TRACER,
  TEST_TRACER,
} from '../tokens.js';
import { noteModuleDefined } from '../tracing/missing-module.js';
import { createTracer } from './create-tracer.js';
import type { TracerModuleExtras, TracerModuleOptions } from './module-options.js';
import { TracerLifecycle } from './tracer-lifecycle.js';
import { TracerRef } from './tracer-ref.js';

export interface ModuleExtras extends TracerModuleExtras {
  /** The module stands in where an application under test has none of its own. */
  readonly isFallback?: boolean;
}

/** The module of one tracer: what it provides under which tokens. */
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
      { provide: MODULE_EXTRAS, useFactory: () => extras },
      { provide: MODULE_REF, useExisting: getTracerRefToken(name) },
      { provide: MODULE_TRACER, useExisting: getTracerToken(name) },
      lifecycleProvider(name, extras.isFallback === true),
      ...(interceptor ? [{ provide: APP_INTERCEPTOR, useExisting: TracerInterceptor }] : []),
    ],
    exports: shared.map((provider) => (typeof provider === 'function' ? provider : provider.provide)),
  };
}

/** That of a tracer's own `shutdown`. */
const DEFAULT_SHUTDOWN_TIMEOUT_MS = 5000;

type NamedProvider = Exclude<Provider, Type>;

function tracerProviders(name: string): NamedProvider[] {
  const tracer = getTracerToken(name);
  const [indexes, datasets] = [getIndexesToken(name), getDatasetsToken(name)];
  const inject = [MODULE_OPTIONS, { token: TEST_TRACER, optional: true }];
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
      useFactory: (modules: ModulesContainer, ...given: Parameters<typeof createTracer>) =>
        overrideOf(modules, tracer) ?? createTracer(...given),
      inject: [ModulesContainer, ...inject],
    },
    { provide: tracer, useExisting: Tracer },
    { provide: IndexesClient, useExisting: indexes },
    { provide: DatasetsClient, useExisting: datasets },
  ];
}

/**
 * What a test put in the place of the token with `overrideProvider`, so that who injects the class gets that too. An
 * override of the class needs nothing: the token is its alias.
 *
 * @throws InvalidModuleOptionError when it is there later than the tracer
 */
function overrideOf(modules: ModulesContainer, token: string): Tracer | undefined {
  for (const { providers } of modules.values()) {
    const wrapper = providers.get(token);
    if (wrapper === undefined || wrapper.inject?.[0] === Tracer) continue;
    if (wrapper.inject == null && wrapper.isNotMetatype) return wrapper.instance as Tracer;
    throw new InvalidModuleOptionError(
      'getTracerToken()',
      'is overridden by a class or a factory, and Tracer is not: a tracer with the real key would be left',
      'Override Tracer, which the token follows: overrideProvider(Tracer).',
    );
  }
  return undefined;
}

function lifecycleProvider(name: string, isFallback: boolean): NamedProvider {
  return {
    provide: TracerLifecycle,
    useFactory: (tracer: Tracer, ref: TracerRef, given: TracerModuleOptions, modules: ModulesContainer) =>
      new TracerLifecycle({
        name,
        tracer,
        ref,
        requests: given,
        isOwner: tracer !== given.tracer,
        isFallback,
        modules,
        shutdownTimeoutMs: given.delivery?.shutdownTimeoutMs ?? DEFAULT_SHUTDOWN_TIMEOUT_MS,
      }),
    inject: [MODULE_TRACER, getTracerRefToken(name), MODULE_OPTIONS, ModulesContainer],
  };
}
