import { type AuditedAction, isJsonObject } from '@dacapo/protocol';
import {
  applyDecorators,
  type CallHandler,
  type CustomDecorator,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { mergeMap, type Observable } from 'rxjs';
import { AuditLog } from '../../accounts/audit-log.js';
import { requireCaller } from './caller.decorator.js';

export const AUDITED = 'dacapo:audited';

/** Writes the route's action to the audit log after it succeeds. The logged object comes from the path, or else from the answer. */
export function Audited(action: AuditedAction): MethodDecorator {
  const named: CustomDecorator = SetMetadata(AUDITED, action);
  return applyDecorators(named, UseInterceptors(AuditInterceptor));
}

@Injectable()
class AuditInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly log: AuditLog,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const action = this.reflector.get<AuditedAction>(AUDITED, context.getHandler());
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { accountId, keyId, sessionId, member } = requireCaller(request);
    return next.handle().pipe(
      mergeMap(async (answer: unknown) => {
        const object = identifyObject(request, answer);
        await this.log.note(accountId, {
          action,
          ...(object !== undefined && { object }),
          ...(keyId !== undefined && { keyId }),
          ...(sessionId !== undefined && { sessionId }),
          ...(member && { member }),
        });
        return answer;
      }),
    );
  }
}

function identifyObject({ params }: FastifyRequest, answer: unknown): string | undefined {
  const named = Object.values(params as Record<string, string>);
  if (named.length > 0) return named.join('/');
  if (!isJsonObject(answer)) return undefined;
  const id = answer['id'] ?? answer['index_id'] ?? answer['name'];
  return typeof id === 'string' ? id : undefined;
}
