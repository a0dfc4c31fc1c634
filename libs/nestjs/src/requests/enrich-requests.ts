import type { ServerResponse } from 'node:http';
import type { CanActivate, HttpServer, Type } from '@nestjs/common';
import { GUARDS_METADATA, INTERCEPTORS_METADATA, METHOD_METADATA } from '@nestjs/common/constants.js';
import type { ModulesContainer } from '@nestjs/core';
import { methodsOf } from '../tracing/own-methods.js';
import type { Method } from '../tracing/traced-method.js';
import { enteredRequest, httpRequestIn, httpRequestOf } from './http-request.js';
import { isInherited } from './routed-handler.js';
import { TracerInterceptor } from './tracer.interceptor.js';

/** Metadata of the resolvers of `@nestjs/graphql`. */
const RESOLVERS = ['graphql:resolver_type'];

/** Metadata of the handlers of microservices and gateways. */
const MESSAGE_HANDLERS = ['microservices:pattern', 'websockets:message_mapping'];

/** One for all applications: the options of `enrich` are stored with the request. */
const ENRICHING_GUARD: CanActivate = {
  canActivate(context) {
    const request = httpRequestIn(context);
    if (context.getType() === 'http') request?.passedGuards(context);
    else request?.noteEnrichment(context);
    return true;
  },
};

type GivenResponse = ServerResponse & { readonly raw?: ServerResponse };

/**
 * Calls `enrich` after all guards of a route, before its interceptors and pipes: then Nest sets the status of the answer. A guard
 * or an interceptor of ours would add promises to each request.
 */
export function enrichRoutes(adapter: HttpServer, isEnriching: () => boolean): void {
  const status = adapter.status.bind(adapter);
  adapter.status = (response: GivenResponse, code: number): unknown => {
    if (isEnriching())
      (enteredRequest('response', response) ?? httpRequestOf((response.raw ?? response).req))?.passedGuards();
    return status(response, code) as unknown;
  };
}

/** Adds a guard, called last, where a request does not show which handler of which class serves it. */
export function enrichHandlers(modules: ModulesContainer): void {
  const routes = [...handlersIn(modules, [METHOD_METADATA])].filter(({ method }) => isInherited(method));
  for (const { method } of [...routes, ...handlersIn(modules, RESOLVERS)]) {
    const guards = (Reflect.getMetadata(GUARDS_METADATA, method) ?? []) as unknown[];
    if (!guards.includes(ENRICHING_GUARD))
      Reflect.defineMetadata(GUARDS_METADATA, [...guards, ENRICHING_GUARD], method);
  }
}

/** The message handlers for which nothing is known to ask `enrich`, as `Class.method`. */
export function messagesWithoutInterceptor(modules: ModulesContainer): string[] {
  return [...handlersIn(modules, MESSAGE_HANDLERS)]
    .filter(({ type, method }) => ![type, method].some(hasInterceptor))
    .map(({ type, name }) => `${type.name}.${String(name)}`);
}

function hasInterceptor(target: object): boolean {
  const interceptors = (Reflect.getMetadata(INTERCEPTORS_METADATA, target) ?? []) as unknown[];
  return interceptors.some((given) => given === TracerInterceptor || given instanceof TracerInterceptor);
}

interface Handler {
  readonly type: Type;
  readonly name: string | symbol;
  readonly method: Method;
}

function* handlersIn(modules: ModulesContainer, metadata: readonly string[]): Generator<Handler> {
  for (const { controllers, providers } of modules.values())
    for (const { metatype } of [...controllers.values(), ...providers.values()]) {
      if (typeof metatype !== 'function') continue;
      for (const { name, method } of methodsOf(metatype))
        if (metadata.some((key) => Reflect.hasMetadata(key, method)))
          yield { type: metatype as Type, name, method };
    }
}
