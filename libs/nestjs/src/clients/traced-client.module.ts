import {
  type DynamicModule,
  type FactoryProvider,
  type InjectionToken,
  Module,
  type ModuleMetadata,
  type OptionalFactoryDependency,
  type Provider,
  type Scope,
  type Type,
} from '@nestjs/common';
import type { Tracer } from '@dacapo/tracer';
import { InvalidModuleOptionError } from '../errors.js';
import { canTrace } from '../module/tracer-ref.js';
import { getTracerToken } from '../tokens.js';

/** Makes a client; for `useClass` and `useExisting`. */
export interface ClientFactory<C extends object = object> {
  createClient(): C | Promise<C>;
}

export interface TracedClientOptions {
  /** Token that the client is injected by: a string, a symbol, or its class, such as `OpenAI`. */
  provide: InjectionToken;
  /** The tracer of that name. Default: the one without a name. */
  tracer?: string | undefined;
  /** Whether all modules see the client, or only those that import this module. Default: false. */
  isGlobal?: boolean | undefined;
}

/** Exactly one of `useFactory`, `useClass` and `useExisting`. */
export interface TracedClientAsyncOptions<C extends object = object>
  extends TracedClientOptions, Pick<ModuleMetadata, 'imports'> {
  useFactory?: (...dependencies: never[]) => C | Promise<C>;
  /** What `useFactory` is called with. */
  inject?: (InjectionToken | OptionalFactoryDependency)[];
  useClass?: Type<ClientFactory<C>>;
  useExisting?: InjectionToken<ClientFactory<C>>;
  /** `Scope.REQUEST`: a client for each request, such as one with the key of its tenant. Default: one for the application. */
  scope?: Scope;
  /** Of a client for each request: one for each tenant that a `ContextIdStrategy` tells apart. Default: false. */
  durable?: boolean;
}

/**
 * Hands out the client of a model vendor, or of the Model Context Protocol, recorded: `tracer.wrapClient` or `wrapMcpClient`.
 *
 * Import it once for each client. A test puts its own in the place with `overrideProvider(token)`, which is not recorded.
 */
@Module({})
export class TracedClientModule {
  /** @param options with the client, which exists already and is recorded from now on */
  static forRoot({ client, ...options }: TracedClientOptions & { client: object }): DynamicModule {
    return define(options, [providerOf(options, () => client)]);
  }

  /** @throws InvalidModuleOptionError unless exactly one of `useFactory`, `useClass` and `useExisting` is given */
  static forRootAsync<C extends object>(options: TracedClientAsyncOptions<C>): DynamicModule {
    const { useFactory, useClass, useExisting, inject = [], imports = [] } = options;
    const given = [useFactory, useClass, useExisting].filter((way) => way !== undefined).length;
    if (given !== 1)
      throw new InvalidModuleOptionError(
        'useFactory',
        given === 0 ? 'is missing' : 'is not the only one',
        'Give forRootAsync exactly one of useFactory, useClass and useExisting.',
      );
    if (useFactory !== undefined) {
      const make = (...dependencies: unknown[]): C | Promise<C> => useFactory(...(dependencies as never[]));
      return define(options, [providerOf(options, make, inject)], imports);
    }
    const factory = (useClass ?? useExisting) as InjectionToken<ClientFactory<C>>;
    const make = (made: unknown): C | Promise<C> => (made as ClientFactory<C>).createClient();
    const own = useClass === undefined ? [] : [useClass];
    return define(options, [...own, providerOf(options, make, [factory])], imports);
  }
}

function define(
  { provide, isGlobal = false }: TracedClientOptions,
  providers: Provider[],
  imports: DynamicModule['imports'] = [],
): DynamicModule {
  return { module: TracedClientModule, global: isGlobal, imports, providers, exports: [provide] };
}

function providerOf<C extends object>(
  { provide, tracer: name, scope, durable }: TracedClientAsyncOptions<C>,
  make: (...dependencies: unknown[]) => C | Promise<C>,
  inject: FactoryProvider['inject'] = [],
): FactoryProvider {
  return {
    provide,
    useFactory: async (tracer: Tracer, ...dependencies: unknown[]) =>
      wrapped(tracer, await make(...dependencies)),
    inject: [getTracerToken(name), ...inject],
    ...(scope !== undefined && { scope }),
    ...(durable !== undefined && { durable }),
  };
}

/** What a test put in the place of the tracer may wrap nothing: then the client goes as it is. */
function wrapped<C extends object>(tracer: Tracer, client: C): C {
  if (!canTrace(tracer)) return client;
  return 'callTool' in client ? tracer.wrapMcpClient(client) : tracer.wrapClient(client);
}
