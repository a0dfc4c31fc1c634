import type { Author, Member, Scope } from '@dacapo/protocol';
import { createParamDecorator, type ExecutionContext, InternalServerErrorException } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** Whom the guard let in, and by what. */
export interface CallerIdentity {
  accountId: string;
  /** Absent of a browser session that a member or a sign-in link opened. */
  keyId?: string;
  /** Of a browser. */
  sessionId?: string;
  /** Who is signed in there, where it is a member. */
  member?: Member;
  scopes: readonly Scope[];
  /** Of the key; as often as it wants to when absent. */
  requestsPerMinute?: number;
}

const callers = new WeakMap<FastifyRequest, CallerIdentity>();

export function setCaller(request: FastifyRequest, caller: CallerIdentity): void {
  callers.set(request, caller);
}

/** Nobody on a public route. */
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

/** Who says what a member's browser says: the member, whatever the request says. Programs with a key name the author themselves. */
export function toAuthor({ member }: CallerIdentity): Author | undefined {
  return member && { kind: 'person', name: member.name };
}

/** The id of the account that the guard let in. */
export const Caller = createParamDecorator(
  (_: unknown, context: ExecutionContext): string =>
    requireCaller(context.switchToHttp().getRequest<FastifyRequest>()).accountId,
);

export const Identity = createParamDecorator((_: unknown, context: ExecutionContext): CallerIdentity =>
  requireCaller(context.switchToHttp().getRequest<FastifyRequest>()),
);
