import {
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  Injectable,
  NotFoundException,
  UnauthorizedException,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isSameHash, sha256 } from '../../accounts/secrets.js';
import { ResolvedOptions } from '../../options.js';
import { readApiKey } from './credentials.js';

/** Admits the operator of the service. Without an operator token the route does not exist. */
@Injectable()
export class OperatorGuard implements CanActivate {
  constructor(private readonly options: ResolvedOptions) {}

  canActivate(context: ExecutionContext): boolean {
    const { operatorToken } = this.options;
    const { headers, method, url } = context.switchToHttp().getRequest<FastifyRequest>();
    if (operatorToken === undefined) throw new NotFoundException(`Cannot ${method} ${url}`);
    const token = readApiKey(headers);
    if (token === undefined) throw new UnauthorizedException('Operator token missing');
    if (isSameHash(sha256(token), sha256(operatorToken))) return true;
    throw new ForbiddenException('Only the operator token creates accounts; API keys cannot');
  }
}
