import {
  type DynamicModule,
  Inject,
  Logger,
  Module,
  type NestModule,
  type OnApplicationBootstrap,
  type Provider,
} from '@nestjs/common';
import { HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import type { Tracer } from '@dacapo/tracer';
import { resolveAsyncFactory } from '../async-factory.js';
import { wrapHandlers } from '../handlers/wrap-handlers.js';
import { enrichHandlers, messagesWithoutInterceptor } from '../requests/enrich-requests.js';
import { enterHttpRequests, openHttpRequests } from '../requests/open-http-requests.js';
import { markRoutedHandlers } from '../requests/route.js';
import {
  DEFAULT_TRACER,
  MODULE_EXTRAS_TOKEN,
  MODULE_OPTIONS_TOKEN,
  MODULE_TRACER_TOKEN,
  TEST_TRACER_TOKEN,
} from '../tokens.js';
import { checkAsyncOptionNames } from './check-module-options.js';
import { defineModule, type ModuleExtras } from './define-module.js';
import type { TracerModuleAsyncOptions, TracerModuleExtras, TracerModuleOptions } from './module-options.js';
import { isTestTracer } from './test-tracer.js';
import { canTrace } from '../tracer-ref.js';

/**
 * Adds a tracer to an application. `Tracer`, `IndexesClient`, `DatasetsClient` and `ReplayService` become injectable,
 * `@Traced` records, and each HTTP request with a traced call inside becomes one trace.
 */
@Module({})
export class TracerModule implements NestModule, OnApplicationBootstrap {
  /** Private, so that printing the module shows no API key. */
  readonly #options: TracerModuleOptions;

  constructor(
    @Inject(MODULE_TRACER_TOKEN) private readonly tracer: Tracer,
    @Inject(MODULE_OPTIONS_TOKEN) options: TracerModuleOptions,
    @Inject(MODULE_EXTRAS_TOKEN) private readonly extras: ModuleExtras,
    @Inject(HttpAdapterHost) private readonly adapterHost: HttpAdapterHost,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
  ) {
    this.#options = options;
    // Before libraries read the handlers: schedules do so in `onModuleInit`.
    if ((extras.name ?? DEFAULT_TRACER) === DEFAULT_TRACER && canTrace(tracer)) wrapHandlers(modules);
    // Before the application adds hooks and middleware. In a test the adapter may not exist yet.
    this.openRequests();
  }

  /** Every option has a default. Key and address default to TRACER_API_KEY and TRACER_SERVICE_URL. */
  static forRoot(options: TracerModuleOptions & TracerModuleExtras = {}): DynamicModule {
    const { name, isGlobal, interceptor, ...rest } = options;
    return defineModule(TracerModule, { name, isGlobal, interceptor }, [
      { provide: MODULE_OPTIONS_TOKEN, useFactory: () => withHiddenSecrets(rest) },
    ]);
  }

  /**
   * @throws InvalidModuleOptionError unless exactly one of `useFactory`, `useClass` and `useExisting` is given, and for an
   * unknown option
   */
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

  /** Nest calls this when the HTTP adapter exists and has no routes yet. */
  configure(): void {
    if (!this.openRequests()) return;
    markRoutedHandlers(this.modules);
    if (this.#options.enrich !== undefined) enrichHandlers(this.modules);
  }

  private openRequests(): boolean {
    const { name = DEFAULT_TRACER, isFallback = false } = this.extras;
    const adapter = this.adapterHost.httpAdapter as typeof this.adapterHost.httpAdapter | undefined | null;
    // `undefined` or `null` in an application without HTTP.
    if (adapter === undefined || adapter === null) return false;
    if (name !== DEFAULT_TRACER && this.#options.requests !== true) return false;
    if (!canTrace(this.tracer)) return false;
    openHttpRequests(adapter, { tracer: this.tracer, options: this.#options, isFallback }, this.modules);
    return true;
  }

  /** Runs when all middleware and routes are registered. */
  onApplicationBootstrap(): void {
    const adapter = this.adapterHost.httpAdapter as typeof this.adapterHost.httpAdapter | undefined;
    if (adapter !== undefined) enterHttpRequests(adapter);
    this.warnAboutMessagesWithoutEnrich();
  }

  private warnAboutMessagesWithoutEnrich(): void {
    if (this.#options.enrich === undefined || this.extras.interceptor !== undefined) return;
    const messages = messagesWithoutInterceptor(this.modules);
    if (messages.length === 0) return;
    new Logger('Tracer').warn(
      `enrich is not called for ${messages.join(', ')}. Pass interceptor: true to TracerModule, or interceptor: false ` +
        'if you register TracerInterceptor yourself.',
    );
  }
}

/**
 * The providers that make the options of `forRootAsync`. With `TracerTestingModule`, no factory runs: a test has no key.
 *
 * @throws InvalidModuleOptionError unless exactly one of `useFactory`, `useClass` and `useExisting` is given
 */
function provideOptions(options: TracerModuleAsyncOptions): Provider[] {
  const { make, inject, providers } = resolveAsyncFactory(options, (factory) =>
    factory.createTracerOptions(),
  );
  return [
    ...providers,
    {
      provide: MODULE_OPTIONS_TOKEN,
      useFactory: async (test: unknown, ...dependencies: unknown[]) =>
        isTestTracer(test) ? test.requests : withHiddenSecrets(await make(...dependencies)),
      inject: [{ token: TEST_TRACER_TOKEN, optional: true }, ...inject],
    },
  ];
}

const SECRETS = ['apiKey', 'envVars', 'delivery'] as const;

/**
 * Copies the options and hides their secrets from printing and copying, because the container keeps the options as long as
 * the application runs. Code reads the secrets by name. Instances of classes stay as they are.
 */
function withHiddenSecrets<T extends TracerModuleOptions>(options: T): T {
  const value: unknown = options;
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return options;
  const copy = { ...options };
  for (const name of SECRETS) {
    const value = copy[name];
    if (value !== undefined) Object.defineProperty(copy, name, { enumerable: false, get: () => value });
  }
  return copy;
}
