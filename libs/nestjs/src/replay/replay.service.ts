import { type Abstract, Inject, Injectable, Scope, type Type } from '@nestjs/common';
import { ContextIdFactory, ModuleRef } from '@nestjs/core';
import type { ReplayOptions, ReplayResult, Tracer } from '@dacapo/tracer';
import { DEFAULT_TRACER, getTracerToken } from '../tokens.js';
import { markTraced, type Method, tracedMethodOf } from '../tracing/traced-method.js';
import { NotTracedError } from './errors.js';

/** Names of the methods of `T`. */
export type MethodName<T> = {
  [K in keyof T]: T[K] extends (...args: never[]) => unknown ? K : never;
}[keyof T] &
  string;

export interface ServiceReplayOptions extends ReplayOptions {
  /** Which stored calls. Default: the key that the method is decorated with. */
  key?: string | undefined;
}

/** Plays stored calls again through the live methods of the application's providers. */
@Injectable()
export class ReplayService {
  constructor(@Inject(ModuleRef) private readonly moduleRef: ModuleRef) {}

  /**
   * Replays the stored calls of a method through the provider that the container has for `service`: in a test, its
   * override. A provider in request scope is made anew for each call.
   *
   * @throws NotTracedError when the method is not traced and no `key` is given
   * @throws what `Tracer.replay` throws
   */
  async replay<T extends object>(
    service: Type<T> | Abstract<T>,
    method: MethodName<T>,
    options: ServiceReplayOptions = {},
  ): Promise<ReplayResult> {
    const { key: givenKey, ...replayOptions } = options;
    const prototype = service.prototype as Record<string, unknown>;
    const traced = tracedMethodOf(prototype[method]);
    const key = givenKey ?? traced?.key;
    if (key === undefined) throw new NotTracedError(service.name, method);
    const call = async (...args: unknown[]): Promise<unknown> => {
      const instance = (await this.instanceOf(service)) as Record<string, Method>;
      return instance[method]?.(...args);
    };
    const tracer = this.moduleRef.get<Tracer>(getTracerToken(traced?.tracerName ?? DEFAULT_TRACER), {
      strict: false,
    });
    return tracer.replay(key, traced === undefined ? call : markTraced(call, traced.key), replayOptions);
  }

  private async instanceOf<T extends object>(service: Type<T> | Abstract<T>): Promise<T> {
    const { scope } = this.moduleRef.introspect(service as Type<T>);
    return scope === Scope.DEFAULT
      ? this.moduleRef.get<T>(service, { strict: false })
      : this.moduleRef.resolve<T>(service, ContextIdFactory.create(), { strict: false });
  }
}
