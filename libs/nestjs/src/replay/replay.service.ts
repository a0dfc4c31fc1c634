import { type Abstract, Inject, Injectable, type InjectionToken, Scope, type Type } from '@nestjs/common';
import { ContextIdFactory, ModuleRef, ModulesContainer } from '@nestjs/core';
import type { ReplayOptions, ReplayResult, Tracer } from '@dacapo/tracer';
import { REBUILD_ARGUMENTS, type RebuildArguments, type RebuildOption } from '@dacapo/tracer/internal';
import { InvalidModuleOptionError } from '../errors.js';
import { DEFAULT_TRACER, getTracerToken } from '../tokens.js';
import { markTraced, type Method, tracedMethodOf } from '../tracing/traced-method.js';
import { argumentTypesOf } from './argument-types.js';
import { NotTracedError } from './errors.js';
import { findMethodByKey, type MethodOfProvider, prototypeOfToken } from './find-method.js';
import { ObjectsWithMethods } from './objects-with-methods.js';
import { rebuildArguments } from './rebuild-arguments.js';

/** Names of the methods of `T`. */
export type MethodName<T> = {
  [K in keyof T]: T[K] extends (...args: never[]) => unknown ? K : never;
}[keyof T] &
  string;

export interface ServiceReplayOptions extends ReplayOptions {
  /** Which stored calls. Default: the key that the method is decorated with. */
  key?: string | undefined;
  /**
   * Turns recorded arguments into today's, for a method whose signature has changed since. Runs before they are rebuilt
   * and validated, so objects of classes come to it as their data; what it makes instances itself stays so.
   */
  adaptInput?: ((args: unknown[]) => unknown[] | Promise<unknown[]>) | undefined;
  /**
   * Makes DTO arguments of their classes and validates them, where class-transformer, class-validator or a schema is
   * there; an argument that does not fit is the item's error. `false`: they are passed as recorded, and a call with an
   * object that had methods is refused unless `adaptInput` makes it. Default: true.
   */
  rebuildArguments?: boolean | undefined;
  /** The `REQUEST` of providers in request scope. Default: an empty one, with `headers`, `params` and `query`. */
  request?: ((args: readonly unknown[]) => object) | undefined;
}

/** Plays stored calls again through the live methods of the application's providers. */
@Injectable()
export class ReplayService {
  constructor(
    @Inject(ModuleRef) private readonly moduleRef: ModuleRef,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
  ) {}

  /**
   * Replays the stored calls of a method, or of a key, through the provider that the container has: in a test, its
   * override. A provider in request scope is made anew for each call.
   *
   * @throws InvalidModuleOptionError when the target is undefined, or a class without a method
   * @throws NotTracedError when the method is not traced and no `key` is given
   * @throws MethodForKeyError when no method, or several, are traced under the key
   * @throws what `Tracer.replay` throws
   */
  replay(key: string, options?: Omit<ServiceReplayOptions, 'key'>): Promise<ReplayResult>;
  replay<T extends object>(
    service: Type<T> | Abstract<T>,
    method: MethodName<T>,
    options?: ServiceReplayOptions,
  ): Promise<ReplayResult>;
  replay(token: string | symbol, method: string, options?: ServiceReplayOptions): Promise<ReplayResult>;
  async replay(
    target: InjectionToken,
    methodOrOptions: string | ServiceReplayOptions = {},
    more: ServiceReplayOptions = {},
  ): Promise<ReplayResult> {
    if ((target as unknown) === undefined) {
      throw new InvalidModuleOptionError(
        'target',
        'must be a class, a token or a key, not undefined',
        'Where two files import each other, one of them sees undefined: import the class from a third place.',
      );
    }
    const isByKey = typeof methodOrOptions !== 'string';
    if (isByKey && typeof target !== 'string') {
      throw new InvalidModuleOptionError(
        'method',
        'is missing beside a class or token',
        "Name the method: replay(Service, 'method').",
      );
    }
    const options = isByKey ? methodOrOptions : more;
    const found = isByKey
      ? findMethodByKey(this.modules, target as string)
      : this.locate(target, methodOrOptions);
    const {
      key: givenKey,
      adaptInput,
      rebuildArguments: isRebuilding = true,
      request,
      ...replayOptions
    } = options;
    const traced = tracedMethodOf((found.prototype as Record<string, unknown>)[found.method]);
    const key = givenKey ?? traced?.key;
    if (key === undefined) throw new NotTracedError(found.prototype.constructor.name, found.method);
    const name = `${found.prototype.constructor.name}.${found.method}`;
    const rebuild: RebuildArguments = async (recorded, instances) => {
      const adapted = adaptInput === undefined ? recorded : listOf(await adaptInput(recorded));
      if (isRebuilding)
        return rebuildArguments(name, argumentTypesOf(found.prototype, found.method), adapted, instances);
      new ObjectsWithMethods(name, adapted, instances).assertMade(new Map());
      return adapted;
    };
    const call = async (...args: unknown[]): Promise<unknown> => {
      const instance = await this.instanceOf(found.token, request?.(args));
      return Reflect.apply<unknown, unknown[], unknown>(methodOf(instance, found), instance, args);
    };
    const tracer = this.moduleRef.get<Tracer>(getTracerToken(traced?.tracerName ?? DEFAULT_TRACER), {
      strict: false,
    });
    const rebuilding: ReplayOptions & RebuildOption = { ...replayOptions, [REBUILD_ARGUMENTS]: rebuild };
    return tracer.replay(key, traced === undefined ? call : markTraced(call, traced.key), rebuilding);
  }

  private locate(token: InjectionToken, method: string): MethodOfProvider {
    const named = typeof token === 'function' ? (token.prototype as object) : undefined;
    const held = prototypeOfToken(this.modules, token);
    const traced = [named, held].find(
      (prototype) =>
        tracedMethodOf((prototype as Record<string, unknown> | undefined)?.[method]) !== undefined,
    );
    return { token, method, prototype: traced ?? named ?? held ?? {} };
  }

  private async instanceOf(token: InjectionToken, request: object | undefined): Promise<unknown> {
    const { scope } = this.moduleRef.introspect(token as Type);
    if (scope === Scope.DEFAULT) return this.moduleRef.get<unknown>(token, { strict: false });
    const rebuilt = request ?? { headers: {}, params: {}, query: {} };
    const contextId = ContextIdFactory.getByRequest(rebuilt);
    this.moduleRef.registerRequestByContextId(rebuilt, contextId);
    return this.moduleRef.resolve<unknown>(token as Type, contextId, { strict: false });
  }
}

/** @throws InvalidModuleOptionError when what the container has, in a test its override, does not have the method */
function methodOf(instance: unknown, { method, prototype }: MethodOfProvider): Method {
  const found = (instance as Record<string, unknown>)[method];
  if (typeof found === 'function') return found as Method;
  throw new InvalidModuleOptionError(
    'method',
    `names ${method}, which the provider of ${prototype.constructor.name} does not have`,
    'Check the name, and the override that a test put there.',
  );
}

function listOf(adapted: unknown): unknown[] {
  if (Array.isArray(adapted)) return adapted as unknown[];
  throw new InvalidModuleOptionError(
    'adaptInput',
    `must return the list of arguments, not ${typeof adapted}`,
    'Write it like ([ticket]) => [ticket].',
  );
}
