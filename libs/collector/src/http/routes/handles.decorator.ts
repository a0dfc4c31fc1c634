import {
  type Answer,
  check,
  consistent,
  decodeQuery,
  fits,
  type Input,
  object,
  type Query,
  type Route,
  type Schema,
  string,
} from '@dacapo/protocol/api';
import {
  applyDecorators,
  createParamDecorator,
  Delete,
  type ExecutionContext,
  Get,
  HttpCode,
  Post,
  SetMetadata,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Needs, NeedsOfMembers } from '../access/needs.decorator.js';
import { readObject } from '../body/body.decorators.js';

export const ROUTE = 'dacapo:route';

const METHODS = { GET: Get, POST: Post, DELETE: Delete };

/** A handler of a route. Its first parameter is the {@link RequestInput}. */
type Handler<R extends Route> = (
  input: Input<R>,
  ...rest: never[]
) => R extends { answer: Schema } ? Promise<Answer<R>> : Promise<void>;

/**
 * Binds a method to a route: path, required scope, status and types. A method with another answer type does not compile, so most methods
 * need no return type.
 */
export function Handles<R extends Route>(
  route: R,
): <H extends Handler<R>>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<H>,
) => void {
  return applyDecorators(
    METHODS[route.method](route.path),
    Needs(route.scope),
    NeedsOfMembers(route.memberScope),
    HttpCode(successStatus(route)),
    SetMetadata(ROUTE, route),
  );
}

export function successStatus({ status, answer, answerStream }: Route): number {
  return status ?? (answer || answerStream ? 200 : 204);
}

/** The schemas of a route's path and query. They are cached, because building one takes longer than reading a request with it. */
interface AddressSchemas {
  readonly query: Schema<object>;
  readonly pathEntries: Record<string, Schema>;
  readonly path: Schema<object>;
}

const addressSchemas = new WeakMap<Route, AddressSchemas>();

function addressSchemasFor(route: Route): AddressSchemas {
  let schemas = addressSchemas.get(route);
  if (schemas === undefined) {
    const { path, parameters, query = {} } = route;
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
    const pathEntries = { ...Object.fromEntries(names.map((name) => [name, string()])), ...parameters };
    schemas = { query: consistent(object(query)), pathEntries, path: object(pathEntries) };
    addressSchemas.set(route, schemas);
  }
  return schemas;
}

/** Reads the query by the route's schema. @throws ProtocolError */
export function readQuery(route: Route, query: Query): object {
  const schema = addressSchemasFor(route).query;
  return check(schema, decodeQuery(route.query ?? {}, query), { noun: 'query parameter' });
}

function readPath(route: Route, parameters: Record<string, string>): object {
  const { path, pathEntries } = addressSchemasFor(route);
  return check(path, decodeQuery(pathEntries, parameters));
}

/** Path parameters, query parameters and fields of the body in one object. */
export const RequestInput = createParamDecorator(
  async (_: unknown, context: ExecutionContext): Promise<object> => {
    const route = Reflect.getMetadata(ROUTE, context.getHandler()) as Route;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    return {
      ...readPath(route, request.params as Record<string, string>),
      ...readQuery(route, request.query as Query),
      ...(route.body && (await readFields(route.body, request, route.isDeep))),
    };
  },
);

/** A request without a body counts as an empty object if all fields are optional. */
async function readFields(schema: Schema, request: FastifyRequest, isDeep?: true): Promise<object> {
  const isAbsent = request.headers['content-type'] === undefined && isOptional(schema);
  return check(schema, isAbsent ? {} : await readObject(request, isDeep)) as object;
}

/** Whether all fields of a body have defaults. */
export function isOptional(body: Schema): boolean {
  return fits(body, {});
}
