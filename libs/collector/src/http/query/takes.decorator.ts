import { nearestName } from '@dacapo/protocol';
import {
  BadRequestException,
  type CanActivate,
  type CustomDecorator,
  type ExecutionContext,
  Injectable,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { NEED } from '../access/needs.decorator.js';
import { flagOf, numberOf, type Query, queryFields, wholeOf } from './page-query.js';
import { QUERIES, type QueryParameter, type QueryParameters } from './query-parameters.js';

export const TAKES = 'dacapo:takes';

/** Which names a route takes in its query. One that does not say so takes none. */
export function Takes(query: keyof typeof QUERIES): CustomDecorator {
  return SetMetadata(TAKES, QUERIES[query]);
}

/**
 * Refuses names in a query that its route does not take, and values that they do not take: a misspelt filter would list
 * everything. Pages, which need nothing, are left alone.
 */
@Injectable()
export class QueryGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride(NEED, targets) === 'nothing') return true;
    const known = this.reflector.get<QueryParameters | undefined>(TAKES, context.getHandler()) ?? {};
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const query = request.query as Query;
    for (const name of Object.keys(query)) {
      const declared = declaredNameOf(name);
      const parameter = Object.hasOwn(known, declared) ? known[declared] : undefined;
      if (parameter === undefined) throw unknownName(name, Object.keys(known), request);
      check(query, name, parameter);
    }
    return true;
  }
}

/** @throws ProtocolError */
function check(query: Query, name: string, { type, minimum, maximum, ...parameter }: QueryParameter): void {
  if (parameter.isList === true) return;
  if (type === 'integer') wholeOf(query, name, minimum, maximum);
  else if (type === 'number') numberOf(query, name, minimum, maximum);
  else if (type === 'boolean') flagOf(query, name);
  else if (parameter.enum !== undefined) queryFields(query).oneOf(name, parameter.enum);
  else queryFields(query).string(name);
}

/** Of names that begin alike and go on as the caller likes, such as `metadata.tier`, the one that is declared. */
function declaredNameOf(name: string): string {
  const dot = name.indexOf('.');
  return dot === -1 ? name : `${name.slice(0, dot)}.*`;
}

function unknownName(name: string, known: string[], { method, url }: FastifyRequest): BadRequestException {
  const near = nearestName(name, known);
  const asked = `${method} ${url.split('?', 1)[0] ?? ''}`;
  return new BadRequestException(
    `${asked} takes no ${JSON.stringify(name.slice(0, 100))} in its query` +
      (near === undefined ? '.' : `; did you mean ${near}?`) +
      (known.length === 0 ? ' It takes no query' : ` It takes ${known.toSorted().join(', ')}`),
  );
}
