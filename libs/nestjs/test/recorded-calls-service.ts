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
import { traceDetail } from '../../tracer/test/service/trace-detail.js';

const AT = '2026-01-31T12:00:00.000000Z';

/** Answers the requests of a replay over real HTTP: serves `spans`, and keeps what is reported. */
export class RecordedCallsService {
  readonly items: TestRunItemReport[] = [];
  /** The selection of the last run. */
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
    if (below !== null) return { items: this.findDescendants(below[1] ?? '') };
    if (path === '/api/v1/ingest') return { accepted: Number(body['lines']), rejected: [] };
    const [, traceId] = /\/traces\/([^/?]+)(?:\?|$)/.exec(path) ?? [];
    if (traceId !== undefined) return traceDetail(traceId, this.mergePatches(traceId));
    if (path.endsWith('/items')) {
      const items = body['items'] as TestRunItemReport[];
      this.items.push(...items);
      return { accepted: items.length, rejected: [] };
    }
    // It counts nothing.
    if (path.endsWith('/run-1')) return {};
    const status = path.endsWith('/finish') ? body['status'] : 'running';
    const none = { items: 0, same: 0, changed: 0, unknown: 0, error: 0, new_errors: 0, flaky: 0 };
    return {
      id: 'run-1',
      url: `${this.url}/test-runs/run-1`,
      trace_function_key: this.key,
      status,
      created_at: AT,
      heartbeat_at: AT,
      totals: { ...none, fixed: 0, failing_as_before: 0, accepted: 0, diverged: 0 },
      selection: { request: this.selection, items: this.selected().length, missing: 0, skipped: {} },
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
        call: { ...toCall(span), descendants: this.findDescendants(span.id) },
      }));
  }

  /** The trace that results from its patches. */
  private mergePatches(traceId: string): Partial<TraceRecord> {
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

  private findDescendants(spanId: string): RecordedDescendant[] {
    return this.spans
      .filter((span) => span.parent_id === spanId)
      .flatMap((span) => [
        { ...toCall(span), parent_id: spanId, trace_function_key: span.trace_function_key },
        ...this.findDescendants(span.id),
      ]);
  }
}

function toCall({ span_data: data, ...span }: SpanRecord): RecordedCall {
  return { ...span, span_id: span.id, ...data };
}

/** Returns the number of lines for a batch of records, else the JSON. */
async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  if (request.url === '/api/v1/ingest') return { lines: text.trimEnd().split('\n').length };
  return JSON.parse(text || '{}') as Record<string, unknown>;
}
