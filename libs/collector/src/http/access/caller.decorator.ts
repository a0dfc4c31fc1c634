import { createParamDecorator, type ExecutionContext, InternalServerErrorException } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

const callers = new WeakMap<FastifyRequest, string>();

export function setCaller(request: FastifyRequest, accountId: string): void {
  callers.set(request, accountId);
}

/** The id of the account that the guard let in. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const accountId = callers.get(context.switchToHttp().getRequest<FastifyRequest>());
  if (accountId === undefined) throw new InternalServerErrorException('A public route has no caller');
  return accountId;
});
