import type { Type } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import type { ModulesContainer } from '@nestjs/core';
import { ownMethods } from '../tracing/own-methods.js';
import type { Method } from '../tracing/traced-method.js';

/** Metadata of a controller's method, which Nest copies to the function that it registers as the route. */
const ROUTED_HANDLER = '@dacapo/nestjs/routed-handler';

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

/** What Fastify is told of a route before it keeps a bound copy of its handler. */
export interface FastifyRoute {
  handler: Method;
  config?: object;
}

/** Before routes are registered: has each of them say which method of which controller it calls. */
export function markRoutedHandlers(modules: ModulesContainer): void {
  for (const { controllers } of modules.values()) {
    for (const { metatype } of controllers.values()) {
      if (typeof metatype === 'function') markHandlersOf(metatype as Type);
    }
  }
}

/** Keeps what the handler of a Fastify route says where its requests show it. */
export function keepInConfig(route: FastifyRoute): void {
  const routed = markOf(route.handler);
  if (routed !== undefined) route.config = { ...route.config, [CONFIG]: routed };
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

function markHandlersOf(controller: Type): void {
  let prototype = controller.prototype as object | null;
  const seen = new Set<string | symbol>();
  for (; prototype !== null && prototype !== Object.prototype; prototype = prototypeOf(prototype)) {
    for (const { name, method } of ownMethods(prototype)) {
      if (seen.has(name)) continue;
      seen.add(name);
      if (Reflect.hasMetadata(METHOD_METADATA, method)) mark(method, controller);
    }
  }
}

function mark(handler: Method, controller: Type): void {
  const present = markOf(handler);
  if (present !== undefined) present.controllers.add(controller);
  else Reflect.defineMetadata(ROUTED_HANDLER, { handler, controllers: new Set([controller]) }, handler);
}

function markOf(target: object): RoutedHandler | undefined {
  return Reflect.getOwnMetadata(ROUTED_HANDLER, target) as RoutedHandler | undefined;
}

function prototypeOf(prototype: object): object | null {
  return Object.getPrototypeOf(prototype) as object | null;
}
