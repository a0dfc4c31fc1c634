import type { ModuleMetadata, Type } from '@nestjs/common';
import type { Tracer, TracerOptions } from '@dacapo/tracer';
import type { AsyncOptions } from '../async-factory.js';
import type { RequestOptions } from '../request-options.js';

/** The options of the tracer and of its requests. `apiKey` and `serviceUrl` default to TRACER_API_KEY and TRACER_SERVICE_URL. */
export interface TracerModuleOptions extends TracerOptions, RequestOptions {
  /** An existing tracer, instead of a new one with the other options. You shut it down yourself. */
  tracer?: Tracer | undefined;
  /**
   * Classes of arguments that a replay cannot find automatically: items of a list, members of a union, subclasses. Classes of the
   * container, and those that its methods declare, need no entry. Default: none.
   */
  replayClasses?: readonly Type<object>[] | undefined;
}

/** Options that the module needs before the factory runs: pass them next to `useFactory`. */
export interface TracerModuleExtras {
  /** Name of this tracer if the application has several: `@InjectTracer(name)`. Default: none. */
  name?: string | undefined;
  /** `false` offers the tracer only to modules that import this one. Default: true. */
  isGlobal?: boolean | undefined;
  /**
   * `true` registers `TracerInterceptor` for every handler, as APP_INTERCEPTOR does. Gateways and microservices need it. HTTP
   * requests do not, and use more CPU with it. Default: false.
   */
  interceptor?: boolean | undefined;
}

/** Creates the module's options; for `useClass` and `useExisting`. */
export interface TracerOptionsFactory {
  createTracerOptions(): TracerModuleOptions | Promise<TracerModuleOptions>;
}

/** Exactly one of `useFactory`, `useClass` and `useExisting`. */
export interface TracerModuleAsyncOptions
  extends
    TracerModuleExtras,
    AsyncOptions<TracerModuleOptions, TracerOptionsFactory>,
    Pick<ModuleMetadata, 'imports'> {}
