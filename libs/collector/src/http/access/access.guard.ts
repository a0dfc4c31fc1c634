import {
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  Injectable,
  UnauthorizedException,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { Authenticator } from '../../accounts/authenticator.js';
import { BrowserSessions } from '../../accounts/browser-sessions.js';
import { ServiceAddress } from '../../service-address.js';
import { setCaller } from './caller.decorator.js';
import { apiKeyOf, isSameOrigin } from './credentials.js';
import { PUBLIC } from './public.decorator.js';
import { sessionCookieOf } from './session-cookie.js';

const SAFE_METHODS = ['GET', 'HEAD'];

/** Denies every route that is not {@link Public} to callers without a key (SPEC 5, 7) or a browser session. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
    private readonly sessions: BrowserSessions,
    private readonly address: ServiceAddress,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const isPublic = this.reflector.getAllAndOverride<boolean | undefined>(PUBLIC, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (isPublic === true) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    setCaller(request, await this.accountOf(request));
    return true;
  }

  private async accountOf(request: FastifyRequest): Promise<string> {
    const apiKey = apiKeyOf(request.headers);
    if (apiKey !== undefined) return this.authenticator.accountOf(apiKey);
    const secret = sessionCookieOf(request.headers);
    const accountId = secret === undefined ? undefined : await this.sessions.accountOf(secret);
    if (accountId === undefined) throw new UnauthorizedException('API key missing');
    if (!SAFE_METHODS.includes(request.method) && !isSameOrigin(request.headers, this.address.url)) {
      throw new ForbiddenException('A browser session changes things from pages of this service only');
    }
    return accountId;
  }
}
