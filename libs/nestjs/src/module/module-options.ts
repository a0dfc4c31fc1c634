import type { InjectionToken, ModuleMetadata, OptionalFactoryDependency, Type } from '@nestjs/common';
import type { Tracer, TracerOptions } from '@dacapo/tracer';
import type { RequestOptions } from '../requests/request-options.js';

/** Everything the tracer takes; `apiKey` and `serviceUrl` default to TRACER_API_KEY and TRACER_SERVICE_URL. */
export interface TracerModuleOptions extends TracerOptions, RequestOptions {
  /** A tracer that exists already, instead of one made from the other options. Whoever made it shuts it down. */
  tracer?: Tracer | undefined;
  /**
   * Classes that arguments of recorded calls may be instances of, for replays: those that no parameter or `@Type` declares, such as
   * the items of a list, the members of a union, subclasses. Classes of the container, and those that its methods declare, are known.
   * Default: none.
   */
  replayClasses?: readonly Type<object>[] | undefined;
}

/** Options that are needed before the factory runs: pass them next to `useFactory`, its result cannot have them. */
export interface TracerModuleExtras {
  /** Identifies one of several tracers of an application: `@InjectTracer(name)`. Default: none. */
  name?: string | undefined;
  /** Whether all modules see the tracer, or only those that import this module. Default: true. */
  isGlobal?: boolean | undefined;
  /**
   * Registers `TracerInterceptor` for every handler, as APP_INTERCEPTOR does. For gateways and microservices. HTTP requests do not
   * need it, and cost more CPU with it. Default: false.
   */
  interceptor?: boolean | undefined;
}

/** Makes the module's options; for `useClass` and `useExisting`. */
export interface TracerOptionsFactory {
  createTracerOptions(): TracerModuleOptions | Promise<TracerModuleOptions>;
}

/** Exactly one of `useFactory`, `useClass` and `useExisting`. */
export interface TracerModuleAsyncOptions extends TracerModuleExtras, Pick<ModuleMetadata, 'imports'> {
  useFactory?: (...dependencies: never[]) => TracerModuleOptions | Promise<TracerModuleOptions>;
  /** What `useFactory` is called with. */
  inject?: (InjectionToken | OptionalFactoryDependency)[];
  useClass?: Type<TracerOptionsFactory>;
  useExisting?: InjectionToken<TracerOptionsFactory>;
}
