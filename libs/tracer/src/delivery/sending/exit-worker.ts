import type { MessagePort } from 'node:worker_threads';
import type { RequestTarget } from '../../service/service-route.js';
import type { ProxyTunnel } from '../../service/tunnel.js';
import type { RawAnswer } from './answer.js';

/** A batch for the worker. The reply has the same number. */
export interface ExitRequest {
  readonly number: number;
  readonly batchId: string;
  readonly body: Uint8Array;
  readonly timeoutMs: number;
}

/** The worker's reply: the answer, or why there is none. */
export interface ExitReply {
  readonly number: number;
  readonly answer?: RawAnswer;
  readonly failure?: string;
}

export interface ExitWorkerData {
  readonly port: MessagePort;
  /** The number of replies. The waiting thread blocks until it changes. */
  readonly replies: Int32Array;
  /** Whether requests, through a tunnel or not, use TLS. */
  readonly isTls: boolean;
  readonly ca: string | readonly string[] | undefined;
  readonly tunnel: ProxyTunnel | undefined;
  /** Options of each request, without batch id and length. */
  readonly request: RequestTarget;
  readonly batchIdHeader: string;
}

/**
 * Posts batches from a separate thread, while the ending thread waits. It receives `ExitWorkerData`, then `ExitRequest`s.
 *
 * The source is a string because bundlers would omit a file, and because a function's source may call helpers that a minifier, a
 * transpiler or a coverage tool added.
 */
export const EXIT_WORKER_SOURCE = `
'use strict';
const { workerData: data } = process.getBuiltinModule('node:worker_threads');
const http = process.getBuiltinModule('node:http');
const https = process.getBuiltinModule('node:https');
const { ca, tunnel } = data;
const agent = new (data.isTls ? https : http).Agent({ keepAlive: true, ca });
if (tunnel !== undefined) {
  agent.createConnection = (options, done) => {
    const { isTls, hostname, port, authority, headers } = tunnel;
    const asked = (isTls ? https : http).request({
      method: 'CONNECT', hostname, port, path: authority, headers: { host: authority, ...headers }, ca, agent: false,
    });
    asked.on('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) done(null, process.getBuiltinModule('node:tls').connect({ ...options, socket }));
      else {
        socket.destroy();
        done(new Error('the proxy answered ' + statusCode));
      }
    });
    asked.on('error', done);
    asked.end();
  };
}
const largestAnswer = 4 * 1024 * 1024;
data.port.on('message', ({ number, batchId, body, timeoutMs }) => {
  let isTold = false;
  let isAnswered = false;
  const tell = (reply) => {
    if (isTold) return;
    isTold = true;
    data.port.postMessage({ number, ...reply });
    Atomics.add(data.replies, 0, 1);
    Atomics.notify(data.replies, 0);
  };
  const headers = { ...data.request.headers, [data.batchIdHeader]: batchId, 'content-length': body.length };
  const sent = (data.isTls ? https : http).request(
    { ...data.request, method: 'POST', agent, headers },
    (response) => {
      isAnswered = true;
      const chunks = [];
      let bytes = 0;
      response.on('data', (chunk) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > largestAnswer) response.destroy();
      });
      response.on('error', () => undefined);
      response.on('close', () => {
        const { statusCode: status, headers: { location, ...got }, complete: isWhole } = response;
        const [retryAfter, encoding] = [got['retry-after'], got['content-encoding']];
        tell({ answer: { status, retryAfter, location, encoding, body: Buffer.concat(chunks), isWhole } });
      });
    },
  );
  const fail = (failure) => {
    if (!isAnswered) tell({ failure });
  };
  setTimeout(() => sent.destroy(new Error('no answer within ' + timeoutMs + ' ms')), timeoutMs).unref();
  sent.on('error', (error) => fail(error.message || error.code));
  sent.on('close', () => fail('the connection was closed without an answer'));
  sent.end(body);
});
`;
