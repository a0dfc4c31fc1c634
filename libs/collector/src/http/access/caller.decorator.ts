import type { Author, Member, Scope } from '@dacapo/protocol';
import { createParamDecorator, type ExecutionContext, InternalServerErrorException } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** The caller that the guard admitted, and the credentials it used. */
export interface CallerIdentity {
  accountId: string;
  /** Absent for a browser session that a member or a sign-in link opened. */
  keyId?: string;
  /** The browser session; absent for a key. */
  sessionId?: string;
  /** The signed-in member; absent if the session belongs to no member. */
  member?: Member;
  scopes: readonly Scope[];
  /** The key's rate limit; unlimited when absent. */
  requestsPerMinute?: number;
}

const callers = new WeakMap<FastifyRequest, CallerIdentity>();

export function setCaller(request: FastifyRequest, caller: CallerIdentity): void {
  callers.set(request, caller);
}

/** `undefined` on a public route. */
export function findCaller(request: FastifyRequest): CallerIdentity | undefined {
  return callers.get(request);
}

/** @throws InternalServerErrorException when the route needs nothing */
export function requireCaller(request: FastifyRequest): CallerIdentity {
  const caller = findCaller(request);
  if (caller === undefined)
    throw new InternalServerErrorException('A route that needs nothing has no caller');
  return caller;
}

/** The author of scores and decisions from a member's browser, whatever the request says. A program with a key names its author itself. */
export function toAuthor({ member }: CallerIdentity): Author | undefined {
  return member && { kind: 'person', name: member.name };
}

/** The account id of the admitted caller. */
export const Caller = createParamDecorator(
  (_: unknown, context: ExecutionContext): string =>
    requireCaller(context.switchToHttp().getRequest<FastifyRequest>()).accountId,
);

export const Identity = createParamDecorator((_: unknown, context: ExecutionContext): CallerIdentity =>
  requireCaller(context.switchToHttp().getRequest<FastifyRequest>()),
);
