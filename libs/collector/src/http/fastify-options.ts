import type { ErrorBody } from '@dacapo/protocol';
import type {
  FastifyError,
  FastifyReply,
  FastifyRequest,
  FastifyServerOptions,
  FastifyInstance,
} from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { compressAnswer } from './compress-answer.js';
import { REQUEST_ID, resolveRequestId } from './request-id.js';
import type { RequestObserver } from './request-observer.js';
import { SECURITY_HEADERS, SHARED_HEADERS } from './security-headers.js';

/** Time limit for receiving a request, so that a slow client cannot keep a connection. */
const REQUEST_TIMEOUT_MS = 120_000;

/** Time for a refused client to read the reason. Then its connection is destroyed. */
const REFUSED_CONNECTION_MS = 2_000;

/** Options of the HTTP server, for everything before a request reaches Nest. */
export const FASTIFY_OPTIONS = {
  requestTimeout: REQUEST_TIMEOUT_MS,
  exposeHeadRoutes: false,
  // Requests on open connections are served during shutdown, because the store closes last.
  return503OnClosing: false,
  genReqId: ({ headers }: IncomingMessage): string => resolveRequestId(headers),
  frameworkErrors(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
    const body = { detail: error.message, status_code: error.statusCode ?? 400 };
    void reply.status(body.status_code).headers(SECURITY_HEADERS).header(REQUEST_ID, request.id).send(body);
  },
  clientErrorHandler(error: Error & { code?: string }, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const [status, text] = CLIENT_ERRORS[error.code ?? ''] ?? [400, 'Bad Request'];
    setTimeout(() => socket.destroy(), REFUSED_CONNECTION_MS).unref();
    const body = JSON.stringify({ detail: text, status_code: status } satisfies ErrorBody);
    socket.end(
      `HTTP/1.1 ${status} ${text}\r\nContent-Type: application/json; charset=utf-8\r\n` +
        `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
  },
} satisfies FastifyServerOptions;

const CLIENT_ERRORS: Record<string, [number, string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
};

/** Addresses with the secret of a share link. */
const SHARED = /^\/(?:api\/v1\/)?shared\//;

/** Sets the headers of every answer, observes each request, and leaves bodies unread until the guard has admitted the caller. */
export function prepareFastify(fastify: FastifyInstance, observer: RequestObserver): void {
  fastify.addHook('onRequest', async (request, reply) => {
    observer.observe(request, reply);
    reply.headers(SECURITY_HEADERS).header(REQUEST_ID, request.id);
    if (SHARED.test(request.url)) reply.headers(SHARED_HEADERS);
  });
  fastify.addHook('onSend', compressAnswer);
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, payload, done) => {
    done(null, payload);
  });
}
