import { allows, type Scope } from '@dacapo/protocol';
import {
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  HttpException,
  HttpStatus,
  Injectable,
  InternalServerErrorException,
  UnauthorizedException,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Authenticator } from '../../accounts/authenticator.js';
import { BrowserSessions } from '../../accounts/browser-sessions.js';
import { Clock } from '../../clock.js';
import { ServiceAddress } from '../../service-address.js';
import { burstSize, RateLimits } from '../../storage/coordination/rate-limits.js';
import { type CallerIdentity, setCaller } from './caller.decorator.js';
import { readApiKey, isSameOrigin } from './credentials.js';
import { MEMBER_NEED, NEED, type Need } from './needs.decorator.js';
import { readSessionCookie } from './session-cookie.js';

const SAFE_METHODS = ['GET', 'HEAD'];

/** Admits a caller with a key (SPEC 5, 7) or a browser session that has the scope a route {@link Needs}. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
    private readonly sessions: BrowserSessions,
    private readonly address: ServiceAddress,
    private readonly limits: RateLimits,
    private readonly clock: Clock,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const need = this.reflector.getAllAndOverride<Need | undefined>(NEED, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (need === 'nothing') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const caller = await this.authenticateCaller(request);
    if (need === undefined) throw new InternalServerErrorException('The route does not say what it needs');
    const ofMembers = this.reflector.get<Scope | undefined>(MEMBER_NEED, context.getHandler());
    const scope = caller.member === undefined ? need : (ofMembers ?? need);
    if (scope !== 'key' && !allows(caller.scopes, scope)) throw missingScope(caller, scope, request);
    await this.countRequest(caller, context.switchToHttp().getResponse<FastifyReply>());
    setCaller(request, caller);
    return true;
  }

  private async countRequest(
    { keyId, requestsPerMinute }: CallerIdentity,
    reply: FastifyReply,
  ): Promise<void> {
    if (keyId === undefined || requestsPerMinute === undefined) return;
    const waitS = await this.limits.take(keyId, requestsPerMinute, this.clock.nowUs());
    if (waitS === 0) return;
    void reply.header('retry-after', waitS);
    throw new HttpException(
      `This key may send ${requestsPerMinute} requests per minute, at most ${burstSize(requestsPerMinute)} at once. ` +
        `Try again in ${waitS} s, or create a key with a higher limit or none`,
      HttpStatus.TOO_MANY_REQUESTS,
    );
  }

  private async authenticateCaller(request: FastifyRequest): Promise<CallerIdentity> {
    const apiKey = readApiKey(request.headers);
    if (apiKey !== undefined) return this.authenticator.authenticate(apiKey);
    const secret = readSessionCookie(request.headers, this.address.url);
    const holder = secret === undefined ? undefined : await this.sessions.authenticate(secret);
    if (holder === undefined) throw new UnauthorizedException('API key missing');
    if (!SAFE_METHODS.includes(request.method) && !isSameOrigin(request.headers, this.address.url)) {
      throw new ForbiddenException('Browser sessions may change data only from pages of this service');
    }
    return holder;
  }
}

function missingScope(caller: CallerIdentity, need: Scope, request: FastifyRequest): ForbiddenException {
  const endpoint = `${request.method} ${request.url.split('?', 1)[0] ?? ''}`;
  if (caller.member !== undefined) {
    return new ForbiddenException(
      `The role ${caller.member.role} lacks the scope ${need}, which ${endpoint} needs. Ask an admin of the account for another role`,
    );
  }
  const which = caller.sessionId === undefined ? 'This key' : 'The key that this browser signed in with';
  return new ForbiddenException(
    `${which} lacks the scope ${need}, which ${endpoint} needs. It has ${caller.scopes.join(', ')}. ` +
      `Create one that has it, on the API keys page or with: dacapo keys create --name <name> --scope ${need}`,
  );
}
