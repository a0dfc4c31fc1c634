import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { mergeMap, type Observable } from 'rxjs';
import { isSmall, stringifyInTurns } from '../memory/json-in-turns.js';
import { Turns } from '../memory/turns.js';
import { findCaller } from './access/caller.decorator.js';

/** Serializes answers. Large ones are written in pieces, so that other requests are served in between. */
@Injectable()
export class LargeAnswerInterceptor implements NestInterceptor {
  constructor(private readonly turns: Turns) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const turns = this.turns.of(
      findCaller(context.switchToHttp().getRequest<FastifyRequest>())?.accountId ?? '',
    );
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      mergeMap(async (answer: unknown) => {
        if (!isData(answer) || isSmall(answer)) return answer;
        const chunks: Buffer[] = [];
        await stringifyInTurns(answer, turns, (piece) => chunks.push(Buffer.from(piece)));
        void reply.type('application/json; charset=utf-8');
        return Buffer.concat(chunks);
      }),
    );
  }
}

/** Whether the answer becomes JSON: it is no file and no stream. */
function isData(answer: unknown): answer is object {
  if (typeof answer !== 'object' || answer === null) return false;
  return Array.isArray(answer) || Object.getPrototypeOf(answer) === Object.prototype;
}
