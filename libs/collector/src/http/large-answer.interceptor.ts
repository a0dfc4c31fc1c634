import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { mergeMap, type Observable } from 'rxjs';
import { isSmall, stringifyInTurns } from '../memory/json-in-turns.js';
import { Turns } from '../memory/turns.js';
import { findCaller } from './access/caller.decorator.js';

/** Makes JSON of what a handler answers: where that is large, piece by piece, so that what else comes in is answered meanwhile. */
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

/** What becomes JSON as it is: no file, no stream. */
function isData(answer: unknown): answer is object {
  if (typeof answer !== 'object' || answer === null) return false;
  return Array.isArray(answer) || Object.getPrototypeOf(answer) === Object.prototype;
}
