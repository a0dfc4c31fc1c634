import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newTraceId, type ScoreRecord, type SpanRecord } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import { until } from '../../../test/support/until.js';
import { ndjson, span } from './support/records.js';
import { Service, SILENT, type Tenant } from './support/service.js';

/** What stands between two collectors: it passes on bodies, as an OpenTelemetry Collector does, and no headers of the sender. */
class Relay {
  readonly bodies: string[] = [];
  target: { url: string; apiKey: string } | undefined;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<Relay> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const relay = new Relay(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        void relay
          .pass(Buffer.concat(chunks).toString('utf8'))
          .then((status) => response.writeHead(status).end());
      });
    });
    return relay;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async pass(body: string): Promise<number> {
    if (this.target === undefined) return 503;
    this.bodies.push(body);
    const { url, apiKey } = this.target;
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` };
    return (await fetch(`${url}/v1/traces`, { method: 'POST', headers, body })).status;
  }
}

describe('two collectors that forward to each other', () => {
  let relay: Relay;
  let [first, second]: Service[] = [];
  let [tenant, other]: Tenant[] = [];

  const readSpans = async ({ get }: Tenant): Promise<SpanRecord[]> => {
    const { text } = await get(API.traces.export.path).expect(200);
    const lines = text.split('\n').filter((line) => line !== '');
    return lines
      .flatMap((line) => (JSON.parse(line) as { span?: SpanRecord }).span ?? [])
      .sort((one, another) => one.id.localeCompare(another.id));
  };

  const readScores = async ({ get }: Tenant, { trace_id }: SpanRecord): Promise<ScoreRecord[]> =>
    (await get(`${API.scores.list.path}?trace_id=${trace_id}`).expect(200)).body.items;

  beforeAll(async () => {
    relay = await Relay.start();
    second = await Service.start({ forwardOtlp: { url: relay.url }, logger: SILENT });
    other = await second.addTenant();
    const headers = { authorization: `Bearer ${other.apiKey}` };
    first = await Service.start({ forwardOtlp: { url: second.url, headers }, logger: SILENT });
    tenant = await first.addTenant();
    relay.target = { url: first.url, apiKey: tenant.apiKey };
  });

  afterAll(async () => {
    await first?.close();
    await second?.close();
    await relay.close();
  });

  it('store the same spans, and end the circle after one round', async () => {
    const root = span({
      span_data: {
        input: [{ messages: [{ role: 'user', content: 'Hi' }] }, new Date(0).toISOString()],
        output: 'Hello',
        usage: { model: 'gpt-5', input_tokens: 3, output_tokens: 4 },
        contexts: [{ a: 1 }],
        meta: { input: { types: { '/1': 'Date' } }, sync: true },
      },
      session_id: 's',
      tags: ['t'],
      trace_metadata: { plan: 'pro' },
      environment: 'production',
    });
    const failed = span({
      trace_id: root.trace_id,
      parent_id: root.id,
      type: 'function',
      kind: 'tool',
      status: 'error',
      span_data: {
        input: [{ id: 7 }],
        error: { name: 'TypeError', message: 'no', properties: { status: 4 } },
      },
    });
    const scores = [{ trace_id: root.trace_id, span_id: failed.id }, { trace_id: root.trace_id }].map(
      (target, index): ScoreRecord => ({
        id: newTraceId(),
        name: `score ${index}`,
        value: index === 0,
        metadata: { a: [1] },
        author: { kind: 'person', name: 'ann' },
        created_at: root.started_at,
        ...target,
      }),
    );
    await tenant!
      .ingest(ndjson([{ span: root }, { span: failed }, ...scores.map((score) => ({ score }))]))
      .expect(200);
    await until(async () => (await readSpans(other!)).length === 2);
    expect(await readSpans(other!)).toEqual(await readSpans(tenant!));
    await until(async () => (await readScores(other!, root)).length === 2);
    expect(await readScores(other!, root)).toEqual(await readScores(tenant!, root));
    const { body: trace } = await other!.get(`${API.traces.list.path}/${root.trace_id}`).expect(200);
    expect(trace).toMatchObject({
      session_id: 's',
      tags: ['t'],
      metadata: { plan: 'pro' },
      environment: 'production',
    });

    // What is sent to the second one itself comes to the first one, and nothing else does.
    const own = span({ name: 'of the second one' });
    await other!.store(own);
    await until(async () => (await readSpans(tenant!)).length === 3);
    expect(relay.bodies).toHaveLength(1);
    expect(relay.bodies[0]).toContain('of the second one');
    const { body } = await first!.anonymous.get(API.service.ready.path).expect(200);
    expect(body.forwarding).toEqual({ waiting_spans: 0 });
  });
});
