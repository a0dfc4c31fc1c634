import { LIMITS } from '@dacapo/protocol';
import {
  BadRequestException,
  createParamDecorator,
  type ExecutionContext,
  PayloadTooLargeException,
  UnsupportedMediaTypeException,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { splitJson } from '../../otlp/json/split-json.js';
import { splitProtobuf } from '../../otlp/protobuf/split-protobuf.js';
import { type SplitBody, TooManySpansError } from '../../otlp/span-frame.js';
import { readBody, readChunks, requestTurns } from './read-body.js';

/** The encoding of an OTLP request and of its response. */
export type OtlpEncoding = 'protobuf' | 'json';

/** Ignores parameters such as `charset`. @returns `undefined` for an unsupported type */
export function findOtlpEncoding({ headers }: FastifyRequest): OtlpEncoding | undefined {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  switch (type.trim().toLowerCase()) {
    case 'application/x-protobuf':
    case 'application/protobuf':
      return 'protobuf';
    case 'application/json':
      return 'json';
    default:
      return undefined;
  }
}

/** The spans of an OTLP body, before decoding. */
export const OtlpBody = createParamDecorator(
  async (_: unknown, context: ExecutionContext): Promise<SplitBody> => {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const body = await split(request);
    const [problem] = body.problems;
    if (problem !== undefined && body.frames.length === 0) throw new BadRequestException(problem);
    return body;
  },
);

async function split(request: FastifyRequest): Promise<SplitBody> {
  const encoding = findOtlpEncoding(request);
  if (encoding === undefined)
    throw new UnsupportedMediaTypeException(
      'Content-Type must be application/x-protobuf or application/json',
    );
  try {
    return encoding === 'json'
      ? await splitJson(await readBody(request), requestTurns(request))
      : splitProtobuf(Buffer.concat(await readChunks(request)));
  } catch (error) {
    if (!(error instanceof TooManySpansError)) throw error;
    throw new PayloadTooLargeException(
      `The body has more than ${LIMITS.bodyLines} spans. Send it in smaller batches.`,
    );
  }
}
