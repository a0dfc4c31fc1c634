import type { Query, Route } from '@dacapo/protocol/api';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { readQuery, ROUTE } from './handles.decorator.js';

/**
 * Refuses unknown query parameters and invalid values, because a misspelt filter would list everything. It ignores pages and routes that
 * need no key.
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
