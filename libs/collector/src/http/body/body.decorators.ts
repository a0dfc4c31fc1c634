import { isJsonObject, type JsonObject, LIMITS } from '@dacapo/protocol';
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
import { type BodyLine, readLines } from '../../ingest/body-lines.js';
import { readBody, readChunks, requestTurns } from './read-body.js';
import { requireReservation } from './request-memory.interceptor.js';

/** The lines of the body. */
export const LinesBody = createParamDecorator(
  async (_: unknown, context: ExecutionContext): Promise<Iterable<BodyLine>> =>
    readLines(await readChunks(context.switchToHttp().getRequest<FastifyRequest>())),
);

/** The request's reserved memory. A handler that builds more than the body's text reserves more. */
export const RequestMemory = createParamDecorator((_: unknown, context: ExecutionContext): Reservation =>
  requireReservation(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** The JSON object of a body. */
export async function readObject(request: FastifyRequest, isDeep = false): Promise<JsonObject> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    throw new UnsupportedMediaTypeException('Content-Type must be application/json');
  }
  const text = await readBody(request);
  const body = await parseJson(text, requireReservation(request), isDeep, requestTurns(request));
  if (!isJsonObject(body)) throw new BadRequestException('The body must be a JSON object');
  return body;
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
