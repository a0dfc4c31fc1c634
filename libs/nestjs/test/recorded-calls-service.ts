import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type {
  CallSelection,
  RecordedCall,
  RecordedDescendant,
  SelectedCall,
  SpanRecord,
  TestRunItemReport,
  TraceRecord,
} from '@dacapo/protocol';

/** Answers what a replay asks of the service, over real HTTP: it holds `spans`, and keeps what is reported. */
export class RecordedCallsService {
  readonly items: TestRunItemReport[] = [];
  /** Of the last run: which calls the service was asked for. */
  selection: CallSelection = {};
  private key: unknown;

  private constructor(
    private readonly server: Server,
    private readonly spans: readonly SpanRecord[],
    private readonly traces: readonly TraceRecord[],
  ) {}

  static async start(
    spans: readonly SpanRecord[],
    traces: readonly TraceRecord[] = [],
  ): Promise<RecordedCallsService> {
    const server = createServer((request, response) => {
      void readBody(request).then((body) => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(service.answer(request.url ?? '', body)));
      });
    });
    const service = new RecordedCallsService(server, spans, traces);
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

  private answer(path: string, body: Record<string, unknown>): unknown {
    if (path.startsWith('/api/v1/test-runs?')) return { items: [] };
    if (path.includes('/calls?')) return { items: this.selected() };
    if (path === '/api/v1/test-runs') {
      this.key = body['trace_function_key'];
      this.selection = (body['selection'] as CallSelection | undefined) ?? {};
    }
    const below = /\/spans\/([^/]+)\/descendants/.exec(path);
    if (below !== null) return { items: this.descendantsOf(below[1] ?? '') };
    if (path === '/api/v1/ingest') return { accepted: Number(body['lines']), rejected: [] };
    const [, traceId] = /\/traces\/([^/?]+)(?:\?|$)/.exec(path) ?? [];
    if (traceId !== undefined) return this.traceOf(traceId);
    if (path.endsWith('/items')) {
      const items = body['items'] as TestRunItemReport[];
      this.items.push(...items);
      return { accepted: items.length, rejected: [] };
    }
    const status = path.endsWith('/finish') ? body['status'] : 'running';
    return {
      ...{ id: 'run-1', url: `${this.url}/test-runs/run-1`, status, totals: {} },
      selection: { items: this.selected().length, missing: 0, skipped: {} },
    };
  }

  private selected(): SelectedCall[] {
    const { limit, except_classes: excepted = [] } = this.selection;
    return this.spans
      .filter((span) => span.trace_function_key === this.key && span.test_run_id === undefined)
      .filter((span) => !excepted.includes(span.span_data.meta?.class ?? ''))
      .slice(0, limit)
      .map((span, item_no) => ({
        item_no,
        trace_id: span.trace_id,
        call: { ...callOf(span), descendants: this.descendantsOf(span.id) },
      }));
  }

  /** What patches of a trace come to. */
  private traceOf(traceId: string): TraceRecord {
    const patches = this.traces.filter(({ id }) => id === traceId);
    return patches.reduce(
      (trace, { metadata, contexts, ...patch }) => ({
        ...trace,
        ...patch,
        metadata: { ...trace.metadata, ...metadata },
        contexts: { ...trace.contexts, ...contexts },
      }),
      { id: traceId },
    );
  }

  private descendantsOf(spanId: string): RecordedDescendant[] {
    return this.spans
      .filter((span) => span.parent_id === spanId)
      .flatMap((span) => [
        { ...callOf(span), parent_id: spanId, trace_function_key: span.trace_function_key },
        ...this.descendantsOf(span.id),
      ]);
  }
}

function callOf({ span_data: data, ...span }: SpanRecord): RecordedCall {
  return { ...span, span_id: span.id, ...data };
}

/** Of a batch of records, the number of its lines. */
async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  if (request.url === '/api/v1/ingest') return { lines: text.trimEnd().split('\n').length };
  return JSON.parse(text || '{}') as Record<string, unknown>;
}
