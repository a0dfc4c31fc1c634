import type { ServerResponse } from 'node:http';
import type { CanActivate, HttpServer, Type } from '@nestjs/common';
import { GUARDS_METADATA, INTERCEPTORS_METADATA, METHOD_METADATA } from '@nestjs/common/constants.js';
import type { ModulesContainer } from '@nestjs/core';
import { classesIn } from '../container.js';
import { allMethods } from '../tracing/own-methods.js';
import type { Method } from '../tracing/traced-method.js';
import { enteredRequest, requestServedBy, storedRequest } from './http-request.js';
import { isInherited } from './route.js';
import { TracerInterceptor } from './tracer.interceptor.js';

/** Metadata of the resolvers of `@nestjs/graphql`. */
const RESOLVERS = ['graphql:resolver_type'];

/** Metadata of the handlers of microservices and gateways. */
const MESSAGE_HANDLERS = ['microservices:pattern', 'websockets:message_mapping'];

/** One for all applications, because each request holds its own `enrich`. */
const ENRICHING_GUARD: CanActivate = {
  canActivate(context) {
    const request = requestServedBy(context);
    if (context.getType() === 'http') request?.passedGuards(context);
    else request?.noteEnrichment(context);
    return true;
  },
};

type PlatformResponse = ServerResponse & { readonly raw?: ServerResponse };

/**
 * Calls `enrich` when Nest sets the status of the answer: after all guards of a route, before its interceptors and pipes.
 * A guard or an interceptor of our own would add promises to each request.
 */
export function enrichRoutes(adapter: HttpServer, isEnriching: () => boolean): void {
  const status = adapter.status.bind(adapter);
  adapter.status = (response: PlatformResponse, code: number): unknown => {
    if (isEnriching())
      (enteredRequest('response', response) ?? storedRequest((response.raw ?? response).req))?.passedGuards();
    return status(response, code) as unknown;
  };
}

/** Adds a guard, called last, to handlers whose request does not show its controller. */
export function enrichHandlers(modules: ModulesContainer): void {
  const routes = [...handlersIn(modules, [METHOD_METADATA])].filter(({ method }) => isInherited(method));
  for (const { method } of [...routes, ...handlersIn(modules, RESOLVERS)]) {
    const guards = (Reflect.getMetadata(GUARDS_METADATA, method) ?? []) as unknown[];
    if (!guards.includes(ENRICHING_GUARD))
      Reflect.defineMetadata(GUARDS_METADATA, [...guards, ENRICHING_GUARD], method);
  }
}

/** The message handlers without `TracerInterceptor`, as `Class.method`. */
export function messagesWithoutInterceptor(modules: ModulesContainer): string[] {
  return [...handlersIn(modules, MESSAGE_HANDLERS)]
    .filter(({ type, method }) => ![type, method].some(hasInterceptor))
    .map(({ type, name }) => `${type.name}.${String(name)}`);
}

function hasInterceptor(target: object): boolean {
  const interceptors = (Reflect.getMetadata(INTERCEPTORS_METADATA, target) ?? []) as unknown[];
  return interceptors.some(
    (interceptor) => interceptor === TracerInterceptor || interceptor instanceof TracerInterceptor,
  );
}

interface Handler {
  readonly type: Type;
  readonly name: string | symbol;
  readonly method: Method;
}

function* handlersIn(modules: ModulesContainer, metadata: readonly string[]): Generator<Handler> {
  for (const type of classesIn(modules))
    for (const { name, method } of allMethods(type))
      if (metadata.some((key) => Reflect.hasMetadata(key, method))) yield { type, name, method };
}
