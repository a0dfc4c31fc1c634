import type { ExecutionContext, Type } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import type { ModulesContainer } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { allMethods } from '../tracing/own-methods.js';
import type { Method } from '../tracing/traced-method.js';

/** Metadata of a controller's method. Nest copies it to the function that it registers as the route. */
const ROUTED_HANDLER = '@dacapo/nestjs/routed-handler';

/** Metadata of `@RouteConfig()`. Nest passes it to Fastify as the route's config, even when it replaces the handler's function. */
const FASTIFY_ROUTE_CONFIG = '__fastify_route_config__';

/** Member of a Fastify route's config. */
const CONFIG = Symbol('routed handler');

/** A controller's method, and its controllers: several if they inherit it. */
export interface RoutedHandler {
  readonly handler: Method;
  readonly controllers: Set<Type>;
}

interface RoutedRequest {
  /** Express */
  readonly baseUrl?: string;
  readonly route?: {
    readonly path?: unknown;
    readonly stack?: readonly { readonly handle?: unknown }[];
  };
  /** Fastify 4 and 5 */
  readonly routeOptions?: {
    readonly url?: string;
    readonly config?: { readonly [CONFIG]?: RoutedHandler };
  };
}

/** The template of a request's route, such as `/tickets/:id`; `undefined` before routing and without a route. */
export function routeTemplate(request: object): string | undefined {
  const { baseUrl = '', route, routeOptions } = request as RoutedRequest;
  if (typeof route?.path === 'string') return baseUrl + route.path;
  return routeOptions?.url;
}

/** Marks each route with its controllers and method. Call it before routes are registered. */
export function markRoutedHandlers(modules: ModulesContainer): void {
  for (const { controllers } of modules.values()) {
    for (const { metatype } of controllers.values()) {
      if (typeof metatype !== 'function') continue;
      for (const { method } of allMethods(metatype))
        if (Reflect.hasMetadata(METHOD_METADATA, method)) mark(method, metatype as Type);
    }
  }
}

/** The method that handles a request; `undefined` before routing and for routes without a controller. */
export function findRoutedHandler(request: object): RoutedHandler | undefined {
  const { route, routeOptions } = request as RoutedRequest;
  for (const { handle } of route?.stack ?? []) {
    const routed = typeof handle === 'function' ? readMark(handle) : undefined;
    if (routed !== undefined) return routed;
  }
  return routeOptions?.config?.[CONFIG];
}

/** Whether several controllers inherit the method. */
export function isInherited(handler: Method): boolean {
  return (readMark(handler)?.controllers.size ?? 0) > 1;
}

function mark(handler: Method, controller: Type): void {
  const present = readMark(handler);
  if (present !== undefined) {
    present.controllers.add(controller);
    return;
  }
  const routed: RoutedHandler = { handler, controllers: new Set([controller]) };
  Reflect.defineMetadata(ROUTED_HANDLER, routed, handler);
  const config = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG, handler) as object | undefined;
  Reflect.defineMetadata(FASTIFY_ROUTE_CONFIG, { ...config, [CONFIG]: routed }, handler);
}

function readMark(target: object): RoutedHandler | undefined {
  return Reflect.getOwnMetadata(ROUTED_HANDLER, target) as RoutedHandler | undefined;
}

const UnknownController = function (): void {
  // The class before routing, and when several controllers inherit the method.
};
const unknownHandler = (): void => undefined;

/** The context of an HTTP request, with its handler and class if they are known. */
export function httpExecutionContext(
  request: object,
  response: object,
  routed: RoutedHandler | undefined,
): ExecutionContext {
  const [controller, another] = routed?.controllers ?? [];
  const known = another === undefined ? controller : undefined;
  return new ExecutionContextHost(
    [request, response],
    known ?? (UnknownController as unknown as Type),
    routed?.handler ?? unknownHandler,
  );
}
