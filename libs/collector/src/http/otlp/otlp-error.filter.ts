import type { ErrorBody } from '@dacapo/protocol';
import { Catch } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { findOtlpEncoding } from '../body/otlp-body.js';
import { ErrorFilter } from '../error.filter.js';
import { encodeStatus } from './otlp-answers.js';

/** Returns errors as `google.rpc.Status` in the media type of the request, or in JSON if that type is not supported. */
@Catch()
export class OtlpErrorFilter extends ErrorFilter {
  protected override send(reply: FastifyReply, { status_code, detail }: ErrorBody): void {
    const { type, body } = encodeStatus(findOtlpEncoding(reply.request) ?? 'json', status_code, detail);
    void reply.type(type).send(body);
  }
}
