import { type Abstract, Inject, Injectable, type InjectionToken, Scope, type Type } from '@nestjs/common';
import { ContextIdFactory, ExternalContextCreator, ModuleRef, ModulesContainer } from '@nestjs/core';
import type { EvaluateOptions, ReplayResult, RunOptions, Tracer } from '@dacapo/tracer';
import { REPLAY_HOOKS, type ReplayHooks, type ReplayHooksOption } from '@dacapo/tracer/internal';
import { InvalidModuleOptionError } from '../errors.js';
import { DEFAULT_TRACER, getTracerToken, MODULE_OPTIONS_TOKEN } from '../tokens.js';
import { findTracedMethod, markTraced, type Method, type TracedMethod } from '../tracing/traced-method.js';
import { readLeftOutKeys } from './left-out.js';
import { ArgumentPipes } from './argument-pipes.js';
import { NotTracedError } from './errors.js';
import {
  findMethodByKey,
  listMethods,
  type ReplayTarget,
  otherClassesWithKey,
  findPrototype,
  type ReplayableMethod,
} from './find-method.js';
import { KnownClasses } from './known-classes.js';
import { rebuildArguments, refusePlainData } from './rebuild-arguments.js';
import {
  type MethodArguments,
  type MethodName,
  type MethodOutput,
  type MethodReplayOptions,
  pickTracerOptions,
  type ServiceEvaluateOptions,
  type ServiceReplayOptions,
} from './replay-options.js';

/** Replays recorded calls through the methods of the application's providers. */
@Injectable()
export class ReplayService {
  private knownClasses: KnownClasses | undefined;

  constructor(
    @Inject(ModuleRef) private readonly moduleRef: ModuleRef,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(ExternalContextCreator) private readonly contexts: ExternalContextCreator,
    @Inject(MODULE_OPTIONS_TOKEN)
    private readonly options: { readonly replayClasses?: readonly Type<object>[] | undefined },
  ) {}

  /**
   * Replays the recorded calls of a method, or with a key, through the provider in the container; in a test, its override. A
   * request-scoped provider is created for each call. If several classes of the application inherit the method, and so share
   * the key, calls that were recorded on another class are skipped.
   *
   * @throws InvalidModuleOptionError when the target is undefined, or a class without a method
   * @throws NotTracedError when the method is not traced and no `key` is given
   * @throws MethodForKeyError when no method, or several, are traced under the key
   * @throws what `Tracer.replay` throws
   */
  replay(key: string, options?: Omit<ServiceReplayOptions, 'key'>): Promise<ReplayResult>;
  replay<T extends object, K extends MethodName<T>>(
    service: Type<T> | Abstract<T>,
    method: K,
    options?: ServiceReplayOptions<MethodArguments<T[K]>, MethodOutput<T[K]>>,
  ): Promise<ReplayResult<MethodArguments<T[K]>, MethodOutput<T[K]>>>;
  replay(
    token: string | symbol,
    method: string | symbol,
    options?: ServiceReplayOptions,
  ): Promise<ReplayResult>;
  async replay(
    target: InjectionToken,
    methodOrOptions: string | symbol | ServiceReplayOptions = {},
    more: ServiceReplayOptions = {},
  ): Promise<ReplayResult> {
    const options = typeof methodOrOptions === 'object' ? methodOrOptions : more;
    const { tracer, key, fn, hooks } = this.resolveTarget(target, methodOrOptions, options);
    const run: RunOptions & ReplayHooksOption = { ...pickTracerOptions(options), [REPLAY_HOOKS]: hooks };
    return tracer.replay(key, fn, run);
  }

  /**
   * Runs a method with recorded calls or a list of inputs, and evaluates the outputs: `Tracer.evaluate`, with the provider in
   * the container, as in `replay`.
   *
   * @throws what `replay` and `Tracer.evaluate` throw
   */
  evaluate(key: string, options: Omit<ServiceEvaluateOptions, 'key'>): Promise<ReplayResult>;
  evaluate<T extends object, K extends MethodName<T>>(
    service: Type<T> | Abstract<T>,
    method: K,
    options: ServiceEvaluateOptions<MethodArguments<T[K]>, MethodOutput<T[K]>>,
  ): Promise<ReplayResult<MethodArguments<T[K]>, MethodOutput<T[K]>>>;
  evaluate(
    token: string | symbol,
    method: string | symbol,
    options: ServiceEvaluateOptions,
  ): Promise<ReplayResult>;
  async evaluate(
    target: InjectionToken,
    methodOrOptions: string | symbol | ServiceEvaluateOptions,
    more?: ServiceEvaluateOptions,
  ): Promise<ReplayResult> {
    // The tracer reports missing options.
    const options =
      (typeof methodOrOptions === 'object' ? methodOrOptions : more) ?? ({} as ServiceEvaluateOptions);
    const { tracer, key, fn, hooks } = this.resolveTarget(target, methodOrOptions, options);
    const run: EvaluateOptions & ReplayHooksOption = {
      ...pickTracerOptions(options),
      key,
      [REPLAY_HOOKS]: hooks,
    };
    return tracer.evaluate(fn, run);
  }

  /** Finds the method, and returns what `Tracer.replay` and `Tracer.evaluate` need to call it. */
  private resolveTarget(
    target: InjectionToken,
    methodOrOptions: string | symbol | object,
    options: MethodReplayOptions & { key?: string | undefined },
  ): { tracer: Tracer; key: string; fn: Method; hooks: ReplayHooks } {
    const isByKey = typeof methodOrOptions === 'object';
    checkTarget(target, isByKey);
    const found = isByKey
      ? findMethodByKey(this.modules, target as string)
      : this.locate(target, methodOrOptions);
    const traced = findTracedMethod(found.prototype, found.method);
    const key = options.key ?? traced?.key;
    if (key === undefined) throw new NotTracedError(found.prototype.constructor.name, found.method);
    const fn = async function (this: unknown, ...args: unknown[]): Promise<unknown> {
      return Reflect.apply<unknown, unknown[], unknown>(findMethod(this, found), this, args);
    };
    const tracer = this.moduleRef.get<Tracer>(getTracerToken(traced?.tracerName ?? DEFAULT_TRACER), {
      strict: false,
    });
    return {
      tracer,
      key,
      fn: traced === undefined ? fn : markTraced(fn, traced.key),
      hooks: this.createHooks(found, traced, options),
    };
  }

  /** All methods of the application's providers and controllers, to find one by its name. */
  methods(): ReplayableMethod[] {
    return listMethods(this.modules);
  }

  private createHooks(
    found: ReplayTarget,
    traced: TracedMethod | undefined,
    { adaptArgs, adaptInput, rebuildArguments: isRebuilding = true, request, around }: MethodReplayOptions,
  ): ReplayHooks {
    const { prototype, method, token } = found;
    const name = `${prototype.constructor.name}.${String(method)}`;
    const adapt = adaptArgs ?? adaptInput;
    const declared = (Reflect.getMetadata('design:paramtypes', prototype, method) ?? []) as unknown[];
    const pipes = this.createPipes(found);
    const others =
      traced === undefined ? new Set<string>() : otherClassesWithKey(this.modules, found, traced);
    return {
      exceptClasses: [...others],
      leftOutKeys: readLeftOutKeys(this.modules),
      needsSource: (adapt ?? request ?? around) !== undefined,
      adapt: adapt && (async (args, source) => checkArguments(await adapt(args, source))),
      rebuild: (args, instances, note) => {
        if (!isRebuilding) {
          refusePlainData(name, args, instances);
          return args;
        }
        const parts = { name, declared, pipes, known: this.getKnownClasses(), note };
        return rebuildArguments(parts, args, instances);
      },
      self: (args, source) => this.getInstance(token, source && request?.(args, source)),
      around,
    };
  }

  private getKnownClasses(): KnownClasses {
    return (this.knownClasses ??= new KnownClasses(this.options.replayClasses ?? [], this.modules));
  }

  private createPipes({ prototype, method }: ReplayTarget): ArgumentPipes | undefined {
    const controller = prototype.constructor as Type;
    for (const { controllers } of this.modules.values())
      if (controllers.has(controller))
        return new ArgumentPipes(this.modules, this.contexts, controller, method);
    return undefined;
  }

  private locate(token: InjectionToken, method: string | symbol): ReplayTarget {
    const named = typeof token === 'function' ? (token.prototype as object) : undefined;
    const held = findPrototype(this.modules, token);
    const traced = [named, held].find((prototype) => findTracedMethod(prototype, method) !== undefined);
    return { token, method, prototype: traced ?? named ?? held ?? {} };
  }

  private async getInstance(token: InjectionToken, request: object | undefined): Promise<unknown> {
    const { scope } = this.moduleRef.introspect(token as Type);
    if (scope === Scope.DEFAULT) return this.moduleRef.get<unknown>(token, { strict: false });
    const rebuilt = request ?? { headers: {}, params: {}, query: {} };
    const contextId = ContextIdFactory.getByRequest(rebuilt);
    this.moduleRef.registerRequestByContextId(rebuilt, contextId);
    return this.moduleRef.resolve<unknown>(token as Type, contextId, { strict: false });
  }
}

function checkTarget(target: unknown, isByKey: boolean): void {
  if (target === undefined) {
    throw new InvalidModuleOptionError(
      'target',
      'must be a class, a token or a key, not undefined',
      'If two files import each other, one of them sees undefined. Move the class to a third file.',
    );
  }
  if (isByKey && typeof target !== 'string') {
    throw new InvalidModuleOptionError(
      'method',
      'is missing next to a class or token',
      "Name the method: replay(Service, 'method').",
    );
  }
}

/** @throws InvalidModuleOptionError when the provider in the container, such as a test's override, lacks the method */
function findMethod(instance: unknown, { method, prototype }: ReplayTarget): Method {
  const found = (instance as Record<string | symbol, unknown>)[method];
  if (typeof found === 'function') return found as Method;
  throw new InvalidModuleOptionError(
    'method',
    `names ${String(method)}, but the provider of ${prototype.constructor.name} has no such method`,
    'Check the name, and overrides in tests.',
  );
}

function checkArguments(adapted: unknown): unknown[] {
  if (Array.isArray(adapted)) return adapted as unknown[];
  throw new InvalidModuleOptionError(
    'adaptArgs',
    `must return the list of arguments, not ${typeof adapted}`,
    'Write it like ([ticket]) => [ticket].',
  );
}
