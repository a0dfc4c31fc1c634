import { Fields, isJsonObject, LIMITS } from '@dacapo/protocol';
import {
  BadRequestException,
  createParamDecorator,
  type ExecutionContext,
  PayloadTooLargeException,
  UnsupportedMediaTypeException,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Reservation } from '../../memory/memory-budget.js';
import { JsonBoundError, parseInTurns } from '../../memory/parse-in-turns.js';
import type { Turns } from '../../memory/turns.js';
import { type BodyLine, linesOf } from '../../ingest/body-lines.js';
import { readBody, readChunks, turnsOf } from './read-body.js';
import { routeOf } from '../request-observer.js';
import { reservationOf } from './request-memory.interceptor.js';
import { refuseUnknownFields } from './unknown-fields.js';

/** The lines of the body. */
export const LinesBody = createParamDecorator(
  async (_: unknown, context: ExecutionContext): Promise<Iterable<BodyLine>> =>
    linesOf(await readChunks(context.switchToHttp().getRequest<FastifyRequest>())),
);

/** What the request holds of the memory for bodies: whoever makes more of the body than its text takes more. */
export const RequestMemory = createParamDecorator((_: unknown, context: ExecutionContext): Reservation =>
  reservationOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/**
 * The fields of a JSON object that the route takes, `optional`: none without a body. Its depth is known before it is parsed; `lazy`: a function that reads it; `deep`: whoever reads
 * it refuses what is too deep.
 */
export const JsonBody = createParamDecorator(
  (option: 'optional' | 'deep' | 'lazy' | undefined, context: ExecutionContext) => {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    return option === 'lazy' ? () => readJson(request) : readJson(request, option);
  },
);

async function readJson(request: FastifyRequest, option?: 'optional' | 'deep'): Promise<Fields> {
  if (option === 'optional' && request.headers['content-type'] === undefined) return new Fields('', {});
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    throw new UnsupportedMediaTypeException('Content-Type must be application/json');
  }
  const text = await readBody(request);
  const body = await parseJson(text, reservationOf(request), option === 'deep', turnsOf(request));
  if (!isJsonObject(body)) throw new BadRequestException('The body must be a JSON object');
  refuseUnknownFields(`${request.method} ${routeOf(request)}`, body);
  return new Fields('', body);
}

async function parseJson(
  text: string,
  memory: Reservation,
  isDeep: boolean,
  turns: Pick<Turns, 'next'>,
): Promise<unknown> {
  try {
    return await parseInTurns(text, { members: LIMITS.bodyMembers, memory, isDeep }, turns);
  } catch (error) {
    if (error instanceof SyntaxError) throw new BadRequestException('The body is not JSON');
    if (!(error instanceof JsonBoundError)) throw error;
    if (error.bound === 'depth') {
      throw new BadRequestException(`The body nests deeper than ${LIMITS.jsonDepth}`);
    }
    throw new PayloadTooLargeException(`The body has more than ${LIMITS.bodyMembers} members of objects`);
  }
}
