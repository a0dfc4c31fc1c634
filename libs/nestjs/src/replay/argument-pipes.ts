import type { PipeTransform, Type } from '@nestjs/common';
import { type ExternalContextCreator, type ModulesContainer } from '@nestjs/core';
import { isPlainObject } from './plain-data.js';
import { isClass } from './property-types.js';

/** Under these names Nest's decorators keep what belongs to a route. */
const ROUTE_ARGUMENTS = '__routeArguments__';
const CUSTOM_ARGUMENT = '__customRouteArgs__';
const PIPES = '__pipes__';
/** Ours: Nest reads it on a class that has no other routes. */
const REPLAYED_ARGUMENT = 'dacapo:replayed-argument';

interface RouteArgument {
  readonly index: number;
  readonly data?: unknown;
  readonly schema?: unknown;
  readonly pipes?: readonly (PipeTransform | Type<PipeTransform>)[];
}

type Apply = (value: unknown) => Promise<unknown>;

/** Types that say nothing of a class: a pipe has nothing to make of plain data for them. */
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
 * The pipes that a route puts its parameters through: the application's global ones, then those of the controller, of the
 * handler, and of the parameter. Only plain data for a parameter of a class goes through them again: what was recorded
 * otherwise had been through them.
 */
export class ArgumentPipes {
  private readonly appliers = new Map<number, Apply | undefined>();

  constructor(
    private readonly modules: ModulesContainer,
    private readonly contexts: ExternalContextCreator,
    private readonly controller: Type,
    private readonly method: string | symbol,
  ) {}

  /** What the handler would be given. @throws what a pipe throws */
  async apply(index: number, value: unknown): Promise<unknown> {
    if (typeof value !== 'object' || value === null || !isPlainObject(value)) return value;
    if (!this.appliers.has(index)) this.appliers.set(index, this.applierOf(index));
    return this.appliers.get(index)?.(value) ?? value;
  }

  private applierOf(index: number): Apply | undefined {
    const { controller, method } = this;
    const declared = this.declaredTypes()[index];
    if (!isClass(declared) || BUILT_IN.has(declared)) return undefined;
    const found = Object.entries(
      (Reflect.getMetadata(ROUTE_ARGUMENTS, controller, method) ?? {}) as Record<string, RouteArgument>,
    ).find(([, argument]) => argument.index === index);
    if (found === undefined) return undefined;
    const [key, argument] = found;
    const handler: unknown = (controller.prototype as Record<string | symbol, unknown>)[method];
    const pipes = [pipesOn(controller), pipesOn(handler), argument.pipes ?? []].flat();
    const isCustom = key.includes(CUSTOM_ARGUMENT);
    const described = {
      ...argument,
      index: 0,
      pipes: pipes.map((pipe) => this.instanceOf(pipe)),
      factory: (_data: unknown, context: { getArgs(): unknown[] }) => context.getArgs()[0],
    };
    return this.throughNest(isCustom ? key : key.replace(/:.*$/s, ':0'), described, declared);
  }

  /** Nest applies the global pipes and those that are given to the one parameter of a method that gives it back. */
  private throughNest(key: string, argument: object, declared: unknown): Apply {
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
    return applied as Apply;
  }

  private declaredTypes(): readonly unknown[] {
    const types = Reflect.getMetadata(
      'design:paramtypes',
      this.controller.prototype as object,
      this.method,
    ) as unknown[] | undefined;
    return types ?? [];
  }

  /** A pipe that is named by its class is held by the controller's module. */
  private instanceOf(pipe: PipeTransform | Type<PipeTransform>): unknown {
    if (typeof pipe !== 'function') return pipe;
    for (const { controllers, injectables } of this.modules.values())
      if (controllers.has(this.controller) && injectables.has(pipe))
        return injectables.get(pipe)?.instance ?? pipe;
    return pipe;
  }
}

function pipesOn(target: unknown): readonly (PipeTransform | Type<PipeTransform>)[] {
  return typeof target === 'function'
    ? ((Reflect.getMetadata(PIPES, target) ?? []) as (PipeTransform | Type<PipeTransform>)[])
    : [];
}
