import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { type IngestAnswer, parseIngestLine, type SpanRecord, splitLines } from '@dacapo/protocol';

/** One request to the service, handled by a fault. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Number of requests, including this one. */
  readonly count: number;
  /** Reads the complete body. */
  body(): Promise<Buffer>;
  /** Stores a body like a healthy service: all records, and each batch id once. */
  store(body: Buffer): IngestAnswer;
}

export type Fault = (exchange: Exchange) => unknown;

const fixture = (name: string) => readFileSync(join(__dirname, 'fixtures', name));

/** A service on loopback that fails according to `fault` and tracks exactly what it stored. */
export class FaultServer {
  /** How often each span was stored, without duplicate batches. */
  readonly stored = new Map<string, number>();
  /** Batch ids that arrived again with different content. */
  readonly conflicts: string[] = [];
  readonly requestTimes: number[] = [];
  private readonly batches = new Map<string, string>();
  private server: Server | undefined;
  private port = 0;

  constructor(
    public fault: Fault,
    private readonly scheme: 'http' | 'https' = 'http',
  ) {}

  static async start(fault: Fault, scheme: 'http' | 'https' = 'http'): Promise<FaultServer> {
    const server = new FaultServer(fault, scheme);
    await server.up();
    return server;
  }

  get url(): string {
    return `${this.scheme}://127.0.0.1:${this.port}`;
  }

  /** The spans of stored batches. */
  get spans(): SpanRecord[] {
    const records = [...this.batches.values()].flatMap((body) => [...splitLines(body)].map(parseIngestLine));
    return records.flatMap((record) => ('span' in record ? [record.span] : []));
  }

  get requests(): number {
    return this.requestTimes.length;
  }

  /** Listens, after `down` on the same port. */
  async up(): Promise<void> {
    for (;;) {
      const port = this.port === 0 ? aPort() : this.port;
      try {
        await this.listen(port);
        this.port = port;
        return;
      } catch (error) {
        if (this.port !== 0) throw error;
      }
    }
  }

  private async listen(port: number): Promise<void> {
    const listener: RequestListener = (request, response) => void this.handle(request, response);
    const server =
      this.scheme === 'http'
        ? createServer(listener)
        : createTlsServer(
            { key: fixture('self-signed.key.pem'), cert: fixture('self-signed.cert.pem') },
            listener,
          );
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    this.server = server;
  }

  /** Refuses new connections and resets open ones. */
  async down(): Promise<void> {
    if (this.server === undefined) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    this.server = undefined;
    await closed;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requestTimes.push(performance.now());
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    try {
      await this.fault({
        request,
        response,
        count: this.requests,
        body: () => readBody(request),
        store: (body) => this.store(String(request.headers['dacapo-batch-id']), body.toString('utf8')),
      });
    } catch {
      response.destroy();
    }
  }

  private store(batchId: string, body: string): IngestAnswer {
    const lines = [...splitLines(body)];
    const seen = this.batches.get(batchId);
    if (seen !== undefined) {
      if (seen !== body) this.conflicts.push(batchId);
      return { accepted: lines.length, rejected: [], duplicate: true };
    }
    this.batches.set(batchId, body);
    for (const line of lines) {
      const record = parseIngestLine(line);
      if ('rejection' in record) throw new Error(record.rejection.detail);
      if ('span' in record) this.stored.set(record.span.id, (this.stored.get(record.span.id) ?? 0) + 1);
    }
    return { accepted: lines.length, rejected: [] };
  }
}

/** Below the range of ephemeral ports, so that the port is still free when the server returns. */
function aPort(): number {
  return 20_000 + Math.floor(Math.random() * 12_000);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  return request.headers['content-encoding'] === 'br' ? brotliDecompressSync(bytes) : bytes;
}
