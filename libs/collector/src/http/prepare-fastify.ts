import type { FastifyInstance } from 'fastify';
import { SECURITY_HEADERS } from './security-headers.js';

/** Sets the headers of every answer, and leaves every body unread: the handler reads it once the caller is let in. */
export function prepareFastify(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', async (_request, reply) => {
    reply.headers(SECURITY_HEADERS);
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, payload, done) => {
    done(null, payload);
  });
}
