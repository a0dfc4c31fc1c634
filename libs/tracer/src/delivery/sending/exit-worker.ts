import type { MessagePort } from 'node:worker_threads';
import type { Answer } from './answer.js';

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
  readonly answer?: Answer;
  readonly failure?: string;
}

export interface ExitWorkerData {
  readonly port: MessagePort;
  /** Counts the replies: who waits for one waits for this to change. */
  readonly replies: Int32Array;
  readonly isTls: boolean;
  readonly hostname: string;
  readonly tcpPort: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly batchIdHeader: string;
}

/**
 * Posts batches from a thread of its own, while the thread that ends waits for it.
 *
 * Runs as source text: a file of its own would be missing wherever an application is bundled. So it uses nothing that stands
 * outside of it.
 */
export function postInWorker(): void {
  const data = process.getBuiltinModule('node:worker_threads').workerData as ExitWorkerData;
  const { request, Agent } = process.getBuiltinModule(data.isTls ? 'node:https' : 'node:http');
  const agent = new Agent({ keepAlive: true });
  const largestAnswer = 4 * 1024 * 1024;

  const post = ({ number, batchId, body, timeoutMs }: ExitRequest): void => {
    let isTold = false;
    let isAnswered = false;
    const tell = (reply: Omit<ExitReply, 'number'>): void => {
      if (isTold) return;
      isTold = true;
      data.port.postMessage({ number, ...reply });
      Atomics.add(data.replies, 0, 1);
      Atomics.notify(data.replies, 0);
    };
    const sent = request(
      {
        agent,
        method: 'POST',
        hostname: data.hostname,
        port: data.tcpPort,
        path: data.path,
        headers: { ...data.headers, [data.batchIdHeader]: batchId, 'content-length': body.length },
      },
      (response) => {
        isAnswered = true;
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          bytes += chunk.length;
          if (bytes > largestAnswer) response.destroy();
        });
        response.on('error', () => undefined);
        response.on('close', () => {
          tell({
            answer: {
              status: response.statusCode ?? 0,
              retryAfter: response.headers['retry-after'],
              location: response.headers.location,
              text: Buffer.concat(chunks).toString('utf8'),
              isWhole: response.complete,
            },
          });
        });
      },
    );
    sent.setTimeout(timeoutMs, () => sent.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    sent.on('error', (error) => {
      if (!isAnswered) tell({ failure: error.message });
    });
    sent.on('close', () => {
      if (!isAnswered) tell({ failure: 'the connection was closed without an answer' });
    });
    sent.end(body);
  };
  data.port.on('message', post);
}
