import type { Type } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import type { ModulesContainer } from '@nestjs/core';
import { methodsOf } from '../tracing/own-methods.js';
import type { Method } from '../tracing/traced-method.js';

/** Metadata of a controller's method, which Nest copies to the function that it registers as the route. */
const ROUTED_HANDLER = '@dacapo/nestjs/routed-handler';

/** Metadata of `@RouteConfig()`, which Nest gives to Fastify as the route's config, whatever function it puts in the handler's place. */
const FASTIFY_ROUTE_CONFIG = '__fastify_route_config__';

/** Of a Fastify route's config. */
const CONFIG = Symbol('routed handler');

/** A controller's method, and the controllers that have it: several, if they inherit it. */
export interface RoutedHandler {
  readonly handler: Method;
  readonly controllers: Set<Type>;
}

interface RoutedRequest {
  /** Express */
  readonly route?: { readonly stack?: readonly { readonly handle?: unknown }[] };
  /** Fastify 4 and 5 */
  readonly routeOptions?: { readonly config?: { readonly [CONFIG]?: RoutedHandler } };
}

/** Before routes are registered: has each of them say which method of which controller it calls. */
export function markRoutedHandlers(modules: ModulesContainer): void {
  for (const { controllers } of modules.values()) {
    for (const { metatype } of controllers.values()) {
      if (typeof metatype !== 'function') continue;
      for (const { method } of methodsOf(metatype))
        if (Reflect.hasMetadata(METHOD_METADATA, method)) mark(method, metatype as Type);
    }
  }
}

/** The method that a request was given to; `undefined` before it was, and where no controller has it. */
export function routedHandlerOf(request: object): RoutedHandler | undefined {
  const { route, routeOptions } = request as RoutedRequest;
  for (const { handle } of route?.stack ?? []) {
    const routed = typeof handle === 'function' ? markOf(handle) : undefined;
    if (routed !== undefined) return routed;
  }
  return routeOptions?.config?.[CONFIG];
}

/** Whether several controllers inherit the method. */
export function isInherited(handler: Method): boolean {
  return (markOf(handler)?.controllers.size ?? 0) > 1;
}

function mark(handler: Method, controller: Type): void {
  const present = markOf(handler);
  if (present !== undefined) {
    present.controllers.add(controller);
    return;
  }
  const routed: RoutedHandler = { handler, controllers: new Set([controller]) };
  Reflect.defineMetadata(ROUTED_HANDLER, routed, handler);
  const config = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG, handler) as object | undefined;
  Reflect.defineMetadata(FASTIFY_ROUTE_CONFIG, { ...config, [CONFIG]: routed }, handler);
}

function markOf(target: object): RoutedHandler | undefined {
  return Reflect.getOwnMetadata(ROUTED_HANDLER, target) as RoutedHandler | undefined;
}
