import type { CanActivate, Type } from '@nestjs/common';
import { GUARDS_METADATA, INTERCEPTORS_METADATA, METHOD_METADATA } from '@nestjs/common/constants.js';
import type { ModulesContainer } from '@nestjs/core';
import { methodsOf } from '../tracing/own-methods.js';
import type { Method } from '../tracing/traced-method.js';
import { httpRequestIn } from './http-request.js';
import { TracerInterceptor } from './tracer.interceptor.js';

/** Metadata of the handlers that serve HTTP requests: routes, and the resolvers of `@nestjs/graphql`. */
const REQUEST_HANDLERS = [METHOD_METADATA, 'graphql:resolver_type'];

/** Metadata of the handlers of microservices and gateways. */
const MESSAGE_HANDLERS = ['microservices:pattern', 'websockets:message_mapping'];

/** One for all applications: what it asks is with the request. */
const ENRICHING_GUARD: CanActivate = {
  canActivate(context) {
    httpRequestIn(context)?.noteEnrichment(context);
    return true;
  },
};

/**
 * Has `enrich` asked after all guards of a handler, before its interceptors and pipes, by one guard more: an interceptor would
 * cost each request a multiple of it.
 */
export function enrichRequests(modules: ModulesContainer): void {
  for (const { method } of handlersIn(modules, REQUEST_HANDLERS)) {
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
