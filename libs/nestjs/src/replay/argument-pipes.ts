import type { PipeTransform, Type } from '@nestjs/common';
import { type ExternalContextCreator, type ModulesContainer } from '@nestjs/core';
import { isPlainObject } from './plain-data.js';
import { isClass } from './property-types.js';

/** Metadata keys under which Nest's decorators store a route's parameters and pipes. */
const ROUTE_ARGUMENTS = '__routeArguments__';
const CUSTOM_ARGUMENT = '__customRouteArgs__';
const PIPES = '__pipes__';
/** Our own key: Nest reads it on a class without other routes. */
const REPLAYED_ARGUMENT = 'dacapo:replayed-argument';

interface RouteArgument {
  readonly index: number;
  readonly data?: unknown;
  readonly schema?: unknown;
  readonly pipes?: readonly (PipeTransform | Type<PipeTransform>)[];
}

type ApplyPipes = (value: unknown) => Promise<unknown>;

/** Types for which a pipe converts no plain data to an instance. */
const BUILT_IN = new Set<unknown>([
  Object,
  Array,
  String,
  Number,
  Boolean,
  Date,
  Map,
  Set,
  Promise,
  Function,
]);

/**
 * Applies the pipes of a route to recorded arguments: the application's global pipes, then those of the controller, of the
 * handler and of the parameter. Only plain data for a parameter of a class needs them; other arguments were recorded after
 * their pipes.
 */
export class ArgumentPipes {
  private readonly appliers = new Map<number, ApplyPipes | undefined>();

  constructor(
    private readonly modules: ModulesContainer,
    private readonly contexts: ExternalContextCreator,
    private readonly controller: Type,
    private readonly method: string | symbol,
  ) {}

  /**
   * Returns the argument that the handler would receive.
   *
   * @throws what a pipe throws
   */
  async apply(index: number, value: unknown): Promise<unknown> {
    if (typeof value !== 'object' || value === null || !isPlainObject(value)) return value;
    if (!this.appliers.has(index)) this.appliers.set(index, this.createApplier(index));
    return this.appliers.get(index)?.(value) ?? value;
  }

  private createApplier(index: number): ApplyPipes | undefined {
    const { controller, method } = this;
    const declared = this.declaredTypes()[index];
    if (!isClass(declared) || BUILT_IN.has(declared)) return undefined;
    const found = Object.entries(
      (Reflect.getMetadata(ROUTE_ARGUMENTS, controller, method) ?? {}) as Record<string, RouteArgument>,
    ).find(([, argument]) => argument.index === index);
    if (found === undefined) return undefined;
    const [key, argument] = found;
    const handler: unknown = (controller.prototype as Record<string | symbol, unknown>)[method];
    const pipes = [readPipes(controller), readPipes(handler), argument.pipes ?? []].flat();
    const isCustom = key.includes(CUSTOM_ARGUMENT);
    const described = {
      ...argument,
      index: 0,
      pipes: pipes.map((pipe) => this.getInstance(pipe)),
      factory: (_data: unknown, context: { getArgs(): unknown[] }) => context.getArgs()[0],
    };
    return this.createWithNest(isCustom ? key : key.replace(/:.*$/s, ':0'), described, declared);
  }

  /** Makes Nest apply the global pipes and the given ones to the only parameter of a method that returns it. */
  private createWithNest(key: string, argument: object, declared: unknown): ApplyPipes {
    class Replayed {
      argument(value: unknown): unknown {
        return value;
      }
    }
    Reflect.defineMetadata(REPLAYED_ARGUMENT, { [key]: argument }, Replayed, 'argument');
    Reflect.defineMetadata('design:paramtypes', [declared], Replayed.prototype, 'argument');
    const instance = new Replayed();
    const first = { exchangeKeyForValue: (_type: number, _data: unknown, args: unknown[]) => args[0] };
    const none = { interceptors: false, guards: false, filters: false };
    const applied: unknown = this.contexts.create(
      instance,
      // eslint-disable-next-line @typescript-eslint/unbound-method
      instance.argument,
      'argument',
      REPLAYED_ARGUMENT,
      first,
      undefined,
      undefined,
      none,
      'http',
    );
    return applied as ApplyPipes;
  }

  private declaredTypes(): readonly unknown[] {
    const types = Reflect.getMetadata(
      'design:paramtypes',
      this.controller.prototype as object,
      this.method,
    ) as unknown[] | undefined;
    return types ?? [];
  }

  /** The instance of a pipe class is in the controller's module. */
  private getInstance(pipe: PipeTransform | Type<PipeTransform>): unknown {
    if (typeof pipe !== 'function') return pipe;
    for (const { controllers, injectables } of this.modules.values())
      if (controllers.has(this.controller) && injectables.has(pipe))
        return injectables.get(pipe)?.instance ?? pipe;
    return pipe;
  }
}

function readPipes(target: unknown): readonly (PipeTransform | Type<PipeTransform>)[] {
  return typeof target === 'function'
    ? ((Reflect.getMetadata(PIPES, target) ?? []) as (PipeTransform | Type<PipeTransform>)[])
    : [];
}
