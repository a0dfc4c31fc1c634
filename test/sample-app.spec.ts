import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { type RunningCollector, startCollector } from '@dacapo/collector';
import { Tracer } from '@dacapo/nestjs';
import type { SpanRecord, TraceDetail } from '@dacapo/protocol';
import { setTracingDisabled } from '@openai/agents';
import { PLATFORMS } from '../sample-app/src/config/app-config.js';
import { createApplication } from '../sample-app/src/create-application.js';
import {
  type StandInModel,
  startStandInModel,
} from '../sample-app/src/stand-in-model/http/start-stand-in-model.js';
import { spanTree } from './main-job/span-tree.js';
import { removeFolder } from './support/remove-folder.js';

describe.each(PLATFORMS)('the support desk on %s', (platform) => {
  let dataDir: string;
  let collector: RunningCollector;
  let standIn: StandInModel;
  let app: INestApplication;
  let url: string;

  async function fetchJson(address: string, init?: RequestInit) {
    const response = await fetch(address, init);
    return { status: response.status, body: JSON.parse(await response.text()) };
  }
  const post = (path: string, body: unknown) =>
    fetchJson(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  async function stored<T>(path: string): Promise<T> {
    await app.get(Tracer).flush();
    const headers = { 'API-Key': collector.apiKey ?? '', 'content-type': 'application/json' };
    const { status, body } = await fetchJson(`${collector.url}/api/v1${path}`, { headers });
    expect(status).toBe(200);
    return body;
  }
  async function addIndex(): Promise<void> {
    const call = async (path: string, body: unknown) =>
      fetchJson(`${collector.url}/api/v1${path}`, {
        method: 'POST',
        headers: { 'API-Key': collector.apiKey ?? '', 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const { body: index } = await call('/indexes', { name: 'Lumen handbook', type: 'OTHER' });
    const content = '# Parcels\n\nA broken lamp is replaced at once. The legal warranty lasts two years.';
    await call(`/indexes/${index.index_id}/documents`, {
      documents: [{ source: 'parcels.md', content, content_type: 'text/markdown' }],
    });
  }

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'dacapo-sample-app-'));
    [collector, standIn] = await Promise.all([
      startCollector({ port: 0, dataDir }),
      startStandInModel({ port: 0 }),
    ]);
    await addIndex();
    app = await createApplication({
      platform,
      port: 0,
      model: { baseUrl: standIn.baseUrl, name: 'stand-in' },
      tracer: { apiKey: collector.apiKey ?? '', serviceUrl: collector.url },
    });
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
  });
  afterAll(async () => {
    await app.close();
    await Promise.all([collector.close(), standIn.close()]);
    await removeFolder(dataDir);
  });

  it('answers a ticket and records its trace', async () => {
    const { status, body: ticket } = await post('/tickets', {
      customer: 'Bo',
      message: 'A lamp of order LM-1057 arrived broken.',
    });
    expect(status).toBe(201);
    expect(ticket).toMatchObject({
      category: 'order',
      status: 'answered',
      answer: expect.stringContaining('replaced'),
    });

    const trace = await stored<TraceDetail>(`/traces/${ticket.traceId}`);
    expect(spanTree(trace.spans)).toEqual([
      'POST /tickets (custom)',
      '  handle-ticket (agent)',
      '    classify-ticket (llm)',
      '      openai.chat.completions.create (llm)',
      '    extract-facts (llm)',
      '    answer-ticket (agent)',
      '      write-answer (llm)',
      '        openai.chat.completions.create (llm)',
      '      look-up-order (function)',
      '      search-knowledge (function)',
      '      write-answer (llm)',
      '        openai.chat.completions.create (llm)',
      '    check-answer (guardrail)',
    ]);
    expect(trace).toMatchObject({ session_id: 'Bo', metadata: { ticketId: ticket.id, category: 'order' } });
  });

  it('records prompt, model and tokens of a model call', async () => {
    const { body: ticket } = await post('/tickets', { customer: 'Cy', message: 'My invoice is wrong.' });
    const { spans } = await stored<TraceDetail>(`/traces/${ticket.traceId}`);
    const classified = spans.find(({ trace_function_key }) => trace_function_key === 'classify-ticket')!;
    const { id } = spans.find(({ parent_id }) => parent_id === classified.id)!;
    const { span_data } = await stored<SpanRecord>(`/traces/${ticket.traceId}/spans/${id}`);
    expect(span_data).toMatchObject({
      input: [{ model: 'stand-in', temperature: 0, response_format: { type: 'json_schema' } }],
      prompt: expect.stringMatching(/^system:\nYou sort the mail[^]*user:\nMy invoice is wrong\.$/),
      usage: {
        model: 'stand-in',
        input_tokens: expect.any(Number),
        output_tokens: expect.any(Number),
      },
      contexts: [{ finishReason: 'stop', responseModel: 'stand-in' }],
    });
  });

  it('records prompt, model and tokens of a BAML function', async () => {
    const { body: ticket } = await post('/tickets', {
      customer: 'Bo',
      message: 'I want my money back for LM-1063.',
    });
    expect(ticket.facts).toEqual({ orderNumber: 'LM-1063', wish: 'refund' });
    const { spans } = await stored<TraceDetail>(`/traces/${ticket.traceId}`);
    const { id } = spans.find(({ trace_function_key }) => trace_function_key === 'extract-facts')!;
    const { span_data } = await stored<SpanRecord>(`/traces/${ticket.traceId}/spans/${id}`);
    expect(span_data.prompt).toMatch('Take the facts out of a message');
    expect(span_data.contexts?.[0]).toMatchObject({ model: 'stand-in', inputTokens: expect.any(Number) });
  });

  it('records the error of a tool and still answers', async () => {
    const { body: ticket } = await post('/tickets', { customer: 'Gus', message: 'Where is LM-9999?' });
    expect(ticket.answer).toMatch('No order has the number LM-9999.');
    const { spans } = await stored<TraceDetail>(`/traces/${ticket.traceId}`);
    const failed = spans.filter(({ status }) => status === 'error');
    expect(failed.map(({ trace_function_key }) => trace_function_key)).toEqual(['look-up-order']);
  });

  it("records each customer's traces in one session", async () => {
    const { body: first } = await post('/tickets', { customer: 'Ada', message: 'Hello?' });
    const { body: second } = await post('/tickets', { customer: 'Ada', message: 'Is anyone there?' });
    const { items } = await stored<{ items: { id: string }[] }>('/traces?session_id=Ada');
    expect(items.map(({ id }) => id)).toEqual([second.traceId, first.traceId]);
  });

  it('hands a ticket over to agents when the answer must not be sent', async () => {
    // With NODE_ENV=test the Agents SDK does not trace by default.
    setTracingDisabled(false);
    const { body: ticket } = await post('/tickets', { customer: 'Di', message: 'How long is the warranty?' });
    expect(ticket).toMatchObject({
      status: 'escalated',
      reasons: ['mentions the law'],
      answer: 'Thank you for writing. A colleague will answer you in person.',
      handover: { team: 'Customer care', note: 'How long is the warranty?' },
    });
    const { spans } = await stored<TraceDetail>(`/traces/${ticket.traceId}`);
    const names = spans.map(({ name, type }) => `${name} (${type})`);
    expect(names).toEqual(
      expect.arrayContaining(['escalate (agent)', 'Escalation desk (agent)', 'Customer care (agent)']),
    );
    expect(spans.map(({ type }) => type)).toContain('handoff');
    expect(spanTree(spans).filter((line) => line.startsWith('orphan'))).toEqual([]);
    const { body: kept } = await fetchJson(`${url}/tickets/${ticket.id}`);
    expect(kept).toEqual(ticket);
  });

  it('lists the indexes through the injected client', async () => {
    const { status, body } = await fetchJson(`${url}/indexes`);
    expect(status).toBe(200);
    expect(body).toEqual({
      indexes: [{ name: 'Lumen handbook', index_id: expect.stringMatching(/^scrape_\d+$/), type: 'OTHER' }],
    });
  });

  it('replays recorded calls through the next version of their method', async () => {
    const { body: ticket } = await post('/tickets', {
      customer: 'Ed',
      message: 'I was charged twice on my invoice.',
    });
    expect(ticket).toMatchObject({ category: 'billing', priority: 'normal' });
    const { status, body } = await post('/replays', { version: 'classifier-v2', limit: 1 });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      passed: false,
      failures: expect.arrayContaining(['1 item was replayed; the gate requires at least 10.']),
      totals: { items: 1, same: 0, changed: 1, error: 0 },
      items: [
        {
          verdict: 'changed',
          input: ['I was charged twice on my invoice.'],
          originalOutput: { category: 'billing', priority: 'normal' },
          result: { category: 'billing', priority: 'high' },
        },
      ],
    });
    expect((await fetch(body.testRunUrl)).status).toBe(200);
  });

  it('finds no change in an unchanged version', async () => {
    const { body } = await post('/replays', { version: 'classifier-v1' });
    expect(body.totals).toMatchObject({ changed: 0, error: 0 });
    expect(body.totals.same).toBeGreaterThan(0);
  });

  it.each([
    ['/tickets', { customer: ' ', message: 4 }, ['customer: ', 'message: ']],
    ['/tickets', {}, ['customer: ', 'message: ']],
    ['/replays', { version: 'classifier-v9', limit: 0 }, ['version: ', 'limit: ']],
  ])('refuses %s %j and names each invalid field', async (path, request, fields) => {
    const { status, body } = await post(path, request);
    expect(status).toBe(400);
    expect(body.message.map((message: string) => message.replace(/: .*/, ': '))).toEqual(fields);
  });
});
