import { type Abstract, Inject, Injectable, type InjectionToken, Scope, type Type } from '@nestjs/common';
import { ContextIdFactory, ExternalContextCreator, ModuleRef, ModulesContainer } from '@nestjs/core';
import type { EvaluateOptions, ReplayResult, ReplaySource, RunOptions, Tracer } from '@dacapo/tracer';
import { PLAY_HOOKS, type PlayHooks, type PlayHooksOption } from '@dacapo/tracer/internal';
import { InvalidModuleOptionError } from '../errors.js';
import type { TracerModuleOptions } from '../module/module-options.js';
import { DEFAULT_TRACER, getTracerToken, MODULE_OPTIONS } from '../tokens.js';
import { findTracedMethod, markTraced, type Method, type TracedMethod } from '../tracing/traced-method.js';
import { leftOutKeysOf } from './context/left-out.js';
import { ArgumentPipes } from './argument-pipes.js';
import { NotTracedError } from './errors.js';
import {
  findMethodByKey,
  listMethods,
  type MethodOfProvider,
  otherClassesOf,
  prototypeOfToken,
  type ReplayableMethod,
} from './find-method.js';
import { KnownClasses } from './known-classes.js';
import { rebuildArguments, refuseDataAlone } from './rebuild-arguments.js';
import type { MethodArguments, MethodName, MethodOutput } from './replay-types.js';

/** How a method of a provider is played. */
export interface MethodPlayOptions<A extends unknown[] = unknown[]> {
  /**
   * Turns recorded arguments into today's. Runs before objects get their classes again, so they come to it as their data;
   * what it makes itself stays so. A call that cannot be played as it was recorded (a callback, an `@Res()`) can be when
   * this replaces what is missing.
   */
  adaptArgs?: ((args: unknown[], source: ReplaySource) => [...A] | Promise<[...A]>) | undefined;
  /** The former name of `adaptArgs`, which comes first. */
  adaptInput?: ((args: unknown[]) => unknown[] | Promise<unknown[]>) | undefined;
  /**
   * Gives objects of classes their classes again, and puts a handler's plain data through the pipes of its route. `false`:
   * arguments are passed as recorded, and a call with an object that had methods is refused unless `adaptArgs` makes it.
   * Default: true.
   */
  rebuildArguments?: boolean | undefined;
  /** The `REQUEST` of providers in request scope. Default: an empty one, with `headers`, `params` and `query`. */
  request?: ((args: readonly unknown[], source: ReplaySource) => object) | undefined;
  /**
   * Sets up what a call needs around it, such as nestjs-cls, a unit of work, a tenant: calls `call`, once, and waits for it.
   * Request-scoped providers are made inside. What it throws is the error of the item.
   */
  around?: ((call: () => Promise<unknown>, source: ReplaySource) => unknown) | undefined;
}

export interface ServiceReplayOptions<A extends unknown[] = unknown[], R = unknown>
  extends RunOptions<A, R>, MethodPlayOptions<A> {
  /** Which stored calls. Default: the key that the method is decorated with. */
  key?: string | undefined;
  adaptArgs?: MethodPlayOptions<A>['adaptArgs'];
}

export interface ServiceEvaluateOptions<A extends unknown[] = unknown[], R = unknown>
  extends EvaluateOptions<A, R>, MethodPlayOptions<A> {
  adaptArgs?: MethodPlayOptions<A>['adaptArgs'];
}

const OWN_OPTIONS = {
  key: true,
  adaptArgs: true,
  adaptInput: true,
  rebuildArguments: true,
  request: true,
  around: true,
} satisfies Record<'key' | keyof MethodPlayOptions, true>;

/** Plays stored calls again through the live methods of the application's providers. */
@Injectable()
export class ReplayService {
  private knownClasses: KnownClasses | undefined;

  constructor(
    @Inject(ModuleRef) private readonly moduleRef: ModuleRef,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(ExternalContextCreator) private readonly contexts: ExternalContextCreator,
    @Inject(MODULE_OPTIONS) private readonly options: Pick<TracerModuleOptions, 'replayClasses'>,
  ) {}

  /**
   * Replays the stored calls of a method, or of a key, through the provider that the container has: in a test, its
   * override. A provider in request scope is made anew for each call. Calls that were recorded on another class of the
   * application, which shares the key because both inherit the method, are left out.
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
    const { tracer, key, play, hooks } = this.playedBy(target, methodOrOptions, options);
    const playing: RunOptions & PlayHooksOption = { ...tracerOptions(options), [PLAY_HOOKS]: hooks };
    return tracer.replay(key, play, playing);
  }

  /**
   * Plays stored calls, or a list of inputs, through a method, and lets evaluators judge what comes of them: `evaluate` of the
   * tracer, with the provider that the container has, as in `replay`.
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
    // What is missing in it, the tracer tells.
    const options =
      (typeof methodOrOptions === 'object' ? methodOrOptions : more) ?? ({} as ServiceEvaluateOptions);
    const { tracer, key, play, hooks } = this.playedBy(target, methodOrOptions, options);
    const playing: EvaluateOptions & PlayHooksOption = {
      ...tracerOptions(options),
      key,
      [PLAY_HOOKS]: hooks,
    };
    return tracer.evaluate(play, playing);
  }

  /** The method that plays the calls, as a function, and what else its replay takes. */
  private playedBy(
    target: InjectionToken,
    methodOrOptions: string | symbol | object,
    options: MethodPlayOptions & { key?: string | undefined },
  ): { tracer: Tracer; key: string; play: Method; hooks: PlayHooks } {
    const isByKey = typeof methodOrOptions === 'object';
    checkTarget(target, isByKey);
    const found = isByKey
      ? findMethodByKey(this.modules, target as string)
      : this.locate(target, methodOrOptions);
    const traced = findTracedMethod(found.prototype, found.method);
    const key = options.key ?? traced?.key;
    if (key === undefined) throw new NotTracedError(found.prototype.constructor.name, found.method);
    const play = async function (this: unknown, ...args: unknown[]): Promise<unknown> {
      return Reflect.apply<unknown, unknown[], unknown>(methodOf(this, found), this, args);
    };
    const tracer = this.moduleRef.get<Tracer>(getTracerToken(traced?.tracerName ?? DEFAULT_TRACER), {
      strict: false,
    });
    return {
      tracer,
      key,
      play: traced === undefined ? play : markTraced(play, traced.key),
      hooks: this.hooksOf(found, traced, options),
    };
  }

  /** All methods of the application's providers and controllers, for who knows one by its name alone. */
  methods(): ReplayableMethod[] {
    return listMethods(this.modules);
  }

  private hooksOf(
    found: MethodOfProvider,
    traced: TracedMethod | undefined,
    { adaptArgs, adaptInput, rebuildArguments: isRebuilding = true, request, around }: MethodPlayOptions,
  ): PlayHooks {
    const { prototype, method, token } = found;
    const name = `${prototype.constructor.name}.${String(method)}`;
    const adapt = adaptArgs ?? adaptInput;
    const declared = (Reflect.getMetadata('design:paramtypes', prototype, method) ?? []) as unknown[];
    const pipes = this.pipesOf(found);
    const others = traced === undefined ? new Set<string>() : otherClassesOf(this.modules, found, traced);
    return {
      exceptClasses: [...others],
      leftOutKeys: leftOutKeysOf(this.modules),
      needsSource: (adapt ?? request ?? around) !== undefined,
      adapt: adapt && (async (args, source) => listOf(await adapt(args, source))),
      rebuild: (args, instances, note) => {
        if (isRebuilding)
          return rebuildArguments({ name, declared, pipes, known: this.classes(), note }, args, instances);
        refuseDataAlone(name, args, instances);
        return args;
      },
      self: (args, source) => this.instanceOf(token, source && request?.(args, source)),
      around,
    };
  }

  private classes(): KnownClasses {
    return (this.knownClasses ??= new KnownClasses(this.options.replayClasses ?? [], this.modules));
  }

  private pipesOf({ prototype, method }: MethodOfProvider): ArgumentPipes | undefined {
    const controller = prototype.constructor as Type;
    for (const { controllers } of this.modules.values())
      if (controllers.has(controller))
        return new ArgumentPipes(this.modules, this.contexts, controller, method);
    return undefined;
  }

  private locate(token: InjectionToken, method: string | symbol): MethodOfProvider {
    const named = typeof token === 'function' ? (token.prototype as object) : undefined;
    const held = prototypeOfToken(this.modules, token);
    const traced = [named, held].find((prototype) => findTracedMethod(prototype, method) !== undefined);
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

/** Those of the tracer, which refuses what it does not know. */
function tracerOptions<Options extends object>(options: Options): Omit<Options, keyof typeof OWN_OPTIONS> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !(name in OWN_OPTIONS))) as Omit<
    Options,
    keyof typeof OWN_OPTIONS
  >;
}

function checkTarget(target: unknown, isByKey: boolean): void {
  if (target === undefined) {
    throw new InvalidModuleOptionError(
      'target',
      'must be a class, a token or a key, not undefined',
      'Where two files import each other, one of them sees undefined: import the class from a third place.',
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

/** @throws InvalidModuleOptionError when what the container has, in a test its override, does not have the method */
function methodOf(instance: unknown, { method, prototype }: MethodOfProvider): Method {
  const found = (instance as Record<string | symbol, unknown>)[method];
  if (typeof found === 'function') return found as Method;
  throw new InvalidModuleOptionError(
    'method',
    `names ${String(method)}, which the provider of ${prototype.constructor.name} does not have`,
    'Check the name, and the override that a test put there.',
  );
}

function listOf(adapted: unknown): unknown[] {
  if (Array.isArray(adapted)) return adapted as unknown[];
  throw new InvalidModuleOptionError(
    'adaptArgs',
    `must return the list of arguments, not ${typeof adapted}`,
    'Write it like ([ticket]) => [ticket].',
  );
}
