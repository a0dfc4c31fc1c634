import { countOpenings, Fields, hasMoreMembers, isDeeperThan, isJsonObject, LIMITS } from '@dacapo/protocol';
import {
  BadRequestException,
  createParamDecorator,
  type ExecutionContext,
  PayloadTooLargeException,
  UnsupportedMediaTypeException,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CONTAINER_BYTES, type Reservation } from '../../memory/memory-budget.js';
import { type BodyLine, linesOf } from '../../ingest/body-lines.js';
import { readBody, readChunks } from './read-body.js';
import { reservationOf } from './request-memory.interceptor.js';

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
 * The fields of a JSON object, `optional`: none without a body. Its depth is known before it is parsed; `deep`: whoever reads
 * it refuses what is too deep.
 */
export const JsonBody = createParamDecorator(
  async (option: 'optional' | 'deep' | undefined, context: ExecutionContext): Promise<Fields> => {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (option === 'optional' && request.headers['content-type'] === undefined) return new Fields('', {});
    if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
      throw new UnsupportedMediaTypeException('Content-Type must be application/json');
    }
    const text = await readBody(request);
    reservationOf(request).grow(CONTAINER_BYTES * countOpenings(text));
    const body = parseJson(text, option === 'deep');
    if (!isJsonObject(body)) throw new BadRequestException('The body must be a JSON object');
    return new Fields('', body);
  },
);

function parseJson(text: string, isDeep: boolean): unknown {
  if (!isDeep && isDeeperThan(text, LIMITS.jsonDepth)) {
    throw new BadRequestException(`The body nests deeper than ${LIMITS.jsonDepth}`);
  }
  if (hasMoreMembers(text, LIMITS.bodyMembers)) {
    throw new PayloadTooLargeException(`The body has more than ${LIMITS.bodyMembers} members of objects`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new BadRequestException('The body is not JSON');
  }
}
