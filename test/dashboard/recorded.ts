import {
  formatTimestamp,
  HEADERS,
  newSpanId,
  newTraceId,
  type SpanData,
  type SpanRecord,
  type TestRunItemReport,
  type TestRunRecord,
  type TraceRecord,
} from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';

const STARTED_US = Date.UTC(2026, 2, 4, 14, 0, 0) * 1000;

/** A span of one second, `startMs` after 14:00 UTC. */
export function span(
  trace_id: string,
  name: string,
  startMs: number,
  span_data: SpanData,
  more: Partial<SpanRecord> = {},
): SpanRecord {
  return {
    id: newSpanId(),
    trace_id,
    trace_function_key: name,
    name,
    type: 'custom',
    status: span_data.error ? 'error' : 'ok',
    started_at: formatTimestamp(STARTED_US + startMs * 1000),
    ended_at: formatTimestamp(STARTED_US + (startMs + 1_000) * 1000),
    duration_ms: 1_000,
    span_data,
    ...more,
  };
}

/** Sends records to a collector as a tracer does. */
export class Recorder {
  constructor(
    private readonly url: string,
    private readonly apiKey: string,
  ) {}

  async ingest(spans: SpanRecord[], traces: TraceRecord[] = []): Promise<void> {
    const lines = [
      ...spans.map((record) => ({ span: record })),
      ...traces.map((record) => ({ trace: record })),
    ];
    const answer = (await this.send(
      API.ingest.send.path,
      lines.map((line) => JSON.stringify(line)).join('\n'),
      {
        'content-type': 'application/x-ndjson',
        [HEADERS.batchId]: newTraceId(),
      },
    )) as { rejected: unknown[] };
    if (answer.rejected.length > 0) throw new Error(JSON.stringify(answer.rejected));
  }

  async post(path: string, body: unknown): Promise<unknown> {
    return this.send(path, JSON.stringify(body), { 'content-type': 'application/json' });
  }

  /** Reports a complete replay of `key`. */
  async testRun(
    key: string,
    items: TestRunItemReport[],
    name: string,
    summary?: object,
  ): Promise<TestRunRecord> {
    const { id } = await this.startTestRun(key, name);
    await this.reportItems(id, items);
    return this.finishTestRun(id, summary);
  }

  async startTestRun(key: string, name?: string): Promise<TestRunRecord> {
    return (await this.post(API.testRuns.create.path, { trace_function_key: key, name })) as TestRunRecord;
  }

  async reportItems(id: string, items: TestRunItemReport[]): Promise<void> {
    await this.post(routePath(API.testRuns.report, { id }), { items });
  }

  async finishTestRun(id: string, summary?: object): Promise<TestRunRecord> {
    return (await this.post(routePath(API.testRuns.finish, { id }), { summary })) as TestRunRecord;
  }

  async get<T>(path: string): Promise<T> {
    return (await this.request(path, {})) as T;
  }

  private send(path: string, body: string, headers: Record<string, string>): Promise<unknown> {
    return this.request(path, { method: 'POST', headers, body });
  }

  private async request(
    path: string,
    { headers, ...init }: { method?: string; headers?: Record<string, string>; body?: string },
  ): Promise<unknown> {
    const response = await fetch(this.url + path, {
      ...init,
      headers: { ...headers, [HEADERS.apiKey]: this.apiKey },
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
}
