import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { IndexesClient, Tracer } from '@dacapo/tracer';
import { ReplayService } from '../replay/replay.service.js';
import { TracerInterceptor } from '../requests/tracer.interceptor.js';
import {
  DEFAULT_TRACER,
  getIndexesToken,
  getTracerRefToken,
  getTracerToken,
  MODULE_OPTIONS,
  MODULE_TRACER,
  TEST_TRACER,
} from '../tokens.js';
import { createTracer } from './create-tracer.js';
import type { TracerModuleAsyncOptions, TracerModuleExtras, TracerModuleOptions } from './module-options.js';
import { provideOptions } from './options-provider.js';
import { TracerLifecycle } from './tracer-lifecycle.js';
import { TracerRef } from './tracer-ref.js';

/** Brings a tracer into an application: `Tracer`, `IndexesClient` and `ReplayService` become injectable, `@Traced` works. */
@Module({})
export class TracerModule {
  /** Everything has a default; the key and the address come from TRACER_API_KEY and TRACER_SERVICE_URL. */
  static forRoot(options: TracerModuleOptions & TracerModuleExtras = {}): DynamicModule {
    const { name, isGlobal, ...rest } = options;
    return define({ name, isGlobal }, [{ provide: MODULE_OPTIONS, useFactory: () => rest }]);
  }

  /** @throws InvalidModuleOptionError unless exactly one of `useFactory`, `useClass` and `useExisting` is given */
  static forRootAsync(options: TracerModuleAsyncOptions): DynamicModule {
    return define(options, provideOptions(options), options.imports);
  }
}

function define(
  { name = DEFAULT_TRACER, isGlobal = true }: TracerModuleExtras,
  options: Provider[],
  imports: DynamicModule['imports'] = [],
): DynamicModule {
  const tracerToken = getTracerToken(name);
  const refToken = getTracerRefToken(name);
  const aliases: Provider[] =
    name === DEFAULT_TRACER
      ? [
          { provide: Tracer, useExisting: tracerToken },
          { provide: IndexesClient, useExisting: getIndexesToken() },
        ]
      : [];
  const shared = [
    { provide: refToken, useFactory: () => new TracerRef() },
    {
      provide: tracerToken,
      useFactory: createTracer,
      inject: [MODULE_OPTIONS, { token: TEST_TRACER, optional: true }],
    },
    { provide: getIndexesToken(name), useFactory: (tracer: Tracer) => tracer.indexes, inject: [tracerToken] },
  ];
  return {
    module: TracerModule,
    global: isGlobal,
    imports,
    providers: [
      ...options,
      ...shared,
      ...aliases,
      { provide: MODULE_TRACER, useExisting: tracerToken },
      {
        provide: TracerLifecycle,
        useFactory: (
          tracer: Tracer,
          ref: TracerRef,
          given: TracerModuleOptions,
          modules: ModulesContainer,
        ): TracerLifecycle =>
          new TracerLifecycle({ name, tracer, ref, isOwner: tracer !== given.tracer, modules }),
        inject: [MODULE_TRACER, refToken, MODULE_OPTIONS, ModulesContainer],
      },
      ReplayService,
      TracerInterceptor,
    ],
    exports: [
      ...[...shared, ...aliases].map((provider) => (provider as { provide: string }).provide),
      ReplayService,
      TracerInterceptor,
    ],
  };
}
