import {
  type DynamicModule,
  type FactoryProvider,
  type InjectionToken,
  Module,
  type ModuleMetadata,
  type Scope,
} from '@nestjs/common';
import type { Tracer } from '@dacapo/tracer';
import { type AsyncFactory, type AsyncOptions, resolveAsyncFactory } from '../async-factory.js';
import { canTrace } from '../tracer-ref.js';
import { getTracerToken } from '../tokens.js';

/** Creates a client; for `useClass` and `useExisting`. */
export interface ClientFactory<C extends object = object> {
  createClient(): C | Promise<C>;
}

export interface TracedClientOptions {
  /** The client's injection token: a string, a symbol, or its class, such as `OpenAI`. */
  provide: InjectionToken;
  /** Name of the tracer. Default: the tracer without a name. */
  tracer?: string | undefined;
  /** `true` makes the client visible to all modules, `false` only to those that import this one. Default: false. */
  isGlobal?: boolean | undefined;
}

/** Exactly one of `useFactory`, `useClass` and `useExisting`. */
export interface TracedClientAsyncOptions<C extends object = object>
  extends TracedClientOptions, AsyncOptions<C, ClientFactory<C>>, Pick<ModuleMetadata, 'imports'> {
  /** `Scope.REQUEST` creates a client per request, for example with the tenant's key. Default: one per application. */
  scope?: Scope;
  /** With `Scope.REQUEST`, creates one client per tenant, as a `ContextIdStrategy` distinguishes them. Default: false. */
  durable?: boolean;
}

/**
 * Provides a recorded client of a model vendor or of the Model Context Protocol: `tracer.wrapClient` or `wrapMcpClient`.
 *
 * Import it once per client. In a test, `overrideProvider(token)` replaces the client; the replacement is not recorded.
 */
@Module({})
export class TracedClientModule {
  /** @param options with the existing `client` to record */
  static forRoot({ client, ...options }: TracedClientOptions & { client: object }): DynamicModule {
    return define(options, { make: () => client, inject: [], providers: [] });
  }

  /** @throws InvalidModuleOptionError unless exactly one of `useFactory`, `useClass` and `useExisting` is given */
  static forRootAsync<C extends object>(options: TracedClientAsyncOptions<C>): DynamicModule {
    return define(
      options,
      resolveAsyncFactory(options, (factory) => factory.createClient()),
    );
  }
}

function define<C extends object>(
  { provide, tracer: name, isGlobal = false, imports = [], scope, durable }: TracedClientAsyncOptions<C>,
  { make, inject, providers }: AsyncFactory<C>,
): DynamicModule {
  const client: FactoryProvider = {
    provide,
    useFactory: async (tracer: Tracer, ...dependencies: unknown[]) =>
      wrap(tracer, await make(...dependencies)),
    inject: [getTracerToken(name), ...inject],
    ...(scope !== undefined && { scope }),
    ...(durable !== undefined && { durable }),
  };
  return {
    module: TracedClientModule,
    global: isGlobal,
    imports,
    providers: [...providers, client],
    exports: [provide],
  };
}

/** Returns the client unchanged if a test replaced the tracer by something that cannot wrap. */
function wrap<C extends object>(tracer: Tracer, client: C): C {
  if (!canTrace(tracer)) return client;
  return 'callTool' in client ? tracer.wrapMcpClient(client) : tracer.wrapClient(client);
}
