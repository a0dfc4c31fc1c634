import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedBatch {
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  readonly lines: readonly string[];
  readonly bytes: number;
}

/** A service on loopback that keeps the batches it gets. Its answers can be held back. */
export class RecordingService {
  readonly batches: ReceivedBatch[] = [];
  status = 200;
  /** The status for one batch, where it differs. */
  statusFor: (lines: readonly string[]) => number | undefined = () => undefined;
  /** What it answers; else that all is stored. */
  answer: string | undefined;
  connections = 0;
  /** Most requests that waited for an answer at once. */
  mostAtOnce = 0;
  private atOnce = 0;
  private held: Promise<void> | undefined;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<RecordingService> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('close', () => service.atOnce--);
      request.on('end', () => {
        service.mostAtOnce = Math.max(service.mostAtOnce, ++service.atOnce);
        const body = Buffer.concat(chunks);
        const lines = body.toString('utf8').split('\n').slice(0, -1);
        service.batches.push({
          headers: request.headers,
          path: request.url ?? '',
          lines,
          bytes: body.length,
        });
        server.emit('batch');
        const stored = JSON.stringify({ accepted: lines.length, rejected: [] });
        void Promise.resolve(service.held).then(() =>
          response.writeHead(service.statusFor(lines) ?? service.status).end(service.answer ?? stored),
        );
      });
    });
    const service = new RecordingService(server);
    server.on('connection', () => service.connections++);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Answers nothing until the returned function is called. */
  hold(): () => void {
    let release = (): void => undefined;
    this.held = new Promise((resolve) => {
      release = () => {
        this.held = undefined;
        resolve();
      };
    });
    return release;
  }

  /** Resolves when so many batches have come in. */
  async received(count: number): Promise<void> {
    while (this.batches.length < count) await once(this.server, 'batch');
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}
