import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

interface Span {
  readonly id: string;
  readonly trace_id: string;
  readonly trace_function_key: string;
  readonly test_run_id?: string;
  readonly span_data: object;
}

/** Takes spans and answers what a replay asks, over HTTP. */
export class RecordingService {
  readonly spans: Span[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<RecordingService> {
    const server = createServer((request, response) => {
      void bodyOf(request).then((body) => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(service.answer(request.url ?? '', body)));
      });
    });
    const service = new RecordingService(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(path: string, body: string): unknown {
    if (path === '/api/v1/ingest') return this.take(body);
    if (path === '/api/v1/developer/list-indexes') return { ok: true, error: null, data: { indexes: [] } };
    if (path === '/api/v1/calls/search') {
      const { trace_function_key: key } = JSON.parse(body) as { trace_function_key: string };
      const calls = this.spans.filter((span) => span.trace_function_key === key && !span.test_run_id);
      return { items: calls.map(({ span_data: data, ...span }) => ({ ...span, span_id: span.id, ...data })) };
    }
    return { id: 'run', url: `${this.url}/test-runs/run`, status: 'running', totals: {} };
  }

  private take(body: string): unknown {
    const lines = body.split('\n').filter((line) => line !== '');
    for (const line of lines) {
      const { span } = JSON.parse(line) as { span?: Span };
      if (span !== undefined) this.spans.push(span);
    }
    return { accepted: lines.length, rejected: [] };
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const encoding = request.headers['content-encoding'];
  if (encoding === 'gzip') return gunzipSync(bytes).toString();
  return (encoding === 'br' ? brotliDecompressSync(bytes) : bytes).toString();
}
