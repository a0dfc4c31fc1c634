import type { MessagePort } from 'node:worker_threads';
import type { RequestTarget } from '../../service/service-route.js';
import type { ProxyTunnel } from '../../service/tunnel.js';
import type { RawAnswer } from './answer.js';

/** A batch for the worker, under a number that its answer bears. */
export interface ExitRequest {
  readonly number: number;
  readonly batchId: string;
  readonly body: Uint8Array;
  readonly timeoutMs: number;
}

/** What came back for it; without an answer, why. */
export interface ExitReply {
  readonly number: number;
  readonly answer?: RawAnswer;
  readonly failure?: string;
}

export interface ExitWorkerData {
  readonly port: MessagePort;
  /** Counts the replies: a thread that waits for one waits for this to change. */
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
 * Posts batches from its own thread while the thread that ends waits for it. It gets `ExitWorkerData`, then `ExitRequest`s.
 *
 * This is text because nothing else survives every bundler: a file would be missing, and the source of a function calls
 * what a minifier, a transpiler or a coverage tool put next to it.
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
