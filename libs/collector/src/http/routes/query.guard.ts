import type { Query, Route } from '@dacapo/protocol/api';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { readQuery, ROUTE } from './handles.decorator.js';

/**
 * Refuses names in a query that its route does not take, and values that they do not take: a misspelt filter would list
 * everything. Pages, and routes that need no key, are left alone.
 */
@Injectable()
export class QueryGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const route = this.reflector.get<Route | undefined>(ROUTE, context.getHandler());
    if (route !== undefined && route.scope !== 'nothing')
      readQuery(route, context.switchToHttp().getRequest<FastifyRequest>().query as Query);
    return true;
  }
}
