import {
  type DynamicModule,
  Inject,
  Logger,
  Module,
  type NestModule,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import type { Tracer } from '@dacapo/tracer';
import { wrapHandlers } from '../handlers/wrap-handlers.js';
import { enrichHandlers, messagesWithoutInterceptor } from '../requests/enrich-requests.js';
import { enterHttpRequests, openHttpRequests } from '../requests/open-http-requests.js';
import { markRoutedHandlers } from '../requests/routed-handler.js';
import { DEFAULT_TRACER, MODULE_EXTRAS, MODULE_OPTIONS, MODULE_TRACER } from '../tokens.js';
import { checkAsyncOptionNames } from './check-module-options.js';
import { defineModule, type ModuleExtras } from './define-module.js';
import type { TracerModuleAsyncOptions, TracerModuleExtras, TracerModuleOptions } from './module-options.js';
import { provideOptions, withHiddenSecrets } from './options-provider.js';
import { canTrace } from './tracer-ref.js';

/**
 * Brings a tracer into an application: `Tracer`, `IndexesClient` and `ReplayService` become injectable, `@Traced` works,
 * and each HTTP request with something traced inside is one trace.
 */
@Module({})
export class TracerModule implements NestModule, OnApplicationBootstrap {
  /** Not shown when the module is printed: they hold the key. */
  readonly #options: TracerModuleOptions;

  constructor(
    @Inject(MODULE_TRACER) private readonly tracer: Tracer,
    @Inject(MODULE_OPTIONS) options: TracerModuleOptions,
    @Inject(MODULE_EXTRAS) private readonly extras: ModuleExtras,
    @Inject(HttpAdapterHost) private readonly adapterHost: HttpAdapterHost,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
  ) {
    this.#options = options;
    // Before anyone takes hold of a handler: a schedule does in `onModuleInit`.
    if ((extras.name ?? DEFAULT_TRACER) === DEFAULT_TRACER && canTrace(tracer)) wrapHandlers(modules);
    // Before the application adds hooks and middleware; a test makes its HTTP adapter later.
    this.openRequests();
  }

  /** Everything has a default; the key and the address come from TRACER_API_KEY and TRACER_SERVICE_URL. */
  static forRoot(options: TracerModuleOptions & TracerModuleExtras = {}): DynamicModule {
    const { name, isGlobal, interceptor, ...rest } = options;
    return defineModule(TracerModule, { name, isGlobal, interceptor }, [
      { provide: MODULE_OPTIONS, useFactory: () => withHiddenSecrets(rest) },
    ]);
  }

  /** @throws InvalidModuleOptionError unless exactly one of `useFactory`, `useClass` and `useExisting` is given, or for an unknown name */
  static forRootAsync(options: TracerModuleAsyncOptions): DynamicModule {
    checkAsyncOptionNames(options);
    const { name, isGlobal, interceptor } = options;
    return defineModule(
      TracerModule,
      { name, isGlobal, interceptor },
      provideOptions(options),
      options.imports,
    );
  }

  /** Nest calls this when the HTTP adapter is there and no route yet. */
  configure(): void {
    if (!this.openRequests()) return;
    markRoutedHandlers(this.modules);
    if (this.#options.enrich !== undefined) enrichHandlers(this.modules);
  }

  private openRequests(): boolean {
    const { name = DEFAULT_TRACER, isFallback = false } = this.extras;
    const adapter = this.adapterHost.httpAdapter as typeof this.adapterHost.httpAdapter | undefined | null;
    // An application without HTTP has none, or `null`.
    if (adapter === undefined || adapter === null) return false;
    if (name !== DEFAULT_TRACER && this.#options.requests !== true) return false;
    if (!canTrace(this.tracer)) return false;
    openHttpRequests(adapter, { tracer: this.tracer, options: this.#options, isFallback }, this.modules);
    return true;
  }

  /** Every middleware and every route is there. */
  onApplicationBootstrap(): void {
    const adapter = this.adapterHost.httpAdapter as typeof this.adapterHost.httpAdapter | undefined;
    if (adapter !== undefined) enterHttpRequests(adapter);
    this.warnOfMessagesWithoutEnrich();
  }

  private warnOfMessagesWithoutEnrich(): void {
    if (this.#options.enrich === undefined || this.extras.interceptor !== undefined) return;
    const messages = messagesWithoutInterceptor(this.modules);
    if (messages.length === 0) return;
    new Logger('Tracer').warn(
      `enrich is not called for ${messages.join(', ')}. Pass interceptor: true to TracerModule, or interceptor: false ` +
        'if you register TracerInterceptor another way.',
    );
  }
}
