import './outside-fetch.js';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI, JobState } from '@google/genai';
import OpenAI from 'openai';
import type { SpanRecord } from '@dacapo/protocol';
import { createTestTracer } from '../../src/testing.js';
import type { Tracer } from '../../src/tracer.js';
import { startStoredSpansService } from '../service/stored-spans-service.js';

type Work = (tracer: Tracer, url: string) => () => Promise<unknown>;

/** Serves JSON, or JSON lines for a list, by the path and how often it was asked. */
async function startVendor(answers: Readonly<Record<string, readonly unknown[]>>) {
  const requests: string[] = [];
  const http = createServer((request, response) => {
    const path = request.url!.replace(/\?.*/, '');
    const list = answers[path] ?? [{ error: `nothing at ${path}` }];
    const body = list[Math.min(requests.filter((one) => one === path).length, list.length - 1)];
    requests.push(path);
    const isLines = Array.isArray(body);
    const type = isLines ? 'application/x-jsonl' : 'application/json';
    const text = isLines ? body.map((line) => `${JSON.stringify(line)}\n`).join('') : JSON.stringify(body);
    request.resume().on('end', () => response.writeHead(200, { 'content-type': type }).end(text));
  });
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const close = (): void => {
    http.close();
    http.closeAllConnections();
  };
  return { url, asked: requests, close };
}

/** Records the work against the vendor, and replays it without one. */
async function recordAndReplay(work: Work, answers: Parameters<typeof startVendor>[0]) {
  const vendor = await startVendor(answers);
  const recorded = createTestTracer();
  await recorded.tracer.withSpan('work', work(recorded.tracer, vendor.url))();
  vendor.close();
  const service = await startStoredSpansService(recorded.spans);
  const { tracer } = createTestTracer({ serviceUrl: service.url });
  const again = tracer.withSpan('work', work(tracer, vendor.url));
  const { items } = await tracer.replay('work', again, { mock: 'all' });
  await service.close();
  return { item: items[0]!, spans: recorded.spans };
}

const readUsage = ({ span_data }: SpanRecord) => span_data.usage;
const byKey = (spans: readonly SpanRecord[], key: string) =>
  spans.filter(({ trace_function_key }) => trace_function_key === key);

describe('a batch of OpenAI', () => {
  const batch = (fields: object) => ({
    id: 'batch_1',
    object: 'batch',
    endpoint: '/v1/responses',
    ...fields,
  });
  const usage = { input_tokens: 120, output_tokens: 30, total_tokens: 150 };
  const create = { input_file_id: 'file-1', endpoint: '/v1/responses', completion_window: '24h' } as const;
  const work: Work = (tracer, url) => {
    const client = tracer.wrapClient(new OpenAI({ apiKey: 'k', baseURL: url, maxRetries: 0 }));
    return async () => {
      let { id, status } = await client.batches.create(create);
      while (status !== 'completed') ({ id, status } = await client.batches.retrieve(id));
      return (await client.batches.retrieve(id)).output_file_id;
    };
  };
  const ended = batch({ status: 'completed', model: 'gpt-4o', output_file_id: 'file-2', usage });

  it('has its usage once, on the retrieval that finds it completed, at the price of a batch', async () => {
    const { item, spans } = await recordAndReplay(work, {
      '/batches': [batch({ status: 'validating' })],
      '/batches/batch_1': [batch({ status: 'in_progress', usage }), ended],
    });
    const retrieved = byKey(spans, 'openai.batches.retrieve').map(readUsage);
    expect(byKey(spans, 'openai.batches.create').map(readUsage)).toMatchObject([{ cost_usd: 0 }]);
    expect(retrieved).toMatchObject([
      { input_tokens: 0, cost_usd: 0 },
      { input_tokens: 120, output_tokens: 30, response_model: 'gpt-4o', service_tier: 'batch' },
      { input_tokens: 0, cost_usd: 0 },
    ]);
    expect(retrieved[1]).not.toHaveProperty('cost_usd');
    expect(item).toMatchObject({ verdict: 'same', divergences: [] });
  });

  const line = (custom_id: string, status_code: number, body: object) => ({
    id: `batch_req_${custom_id}`,
    custom_id,
    error: null,
    response: { status_code, request_id: `req_${custom_id}`, body },
  });
  const answered = (model: string) => ({
    object: 'chat.completion',
    model,
    usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 },
  });
  const lines = (...models: string[]) => [
    ...models.map((model, at) => line(`${at}`, 200, answered(model))),
    line('last', 400, { error: { message: 'No' } }),
  ];
  const readers: Record<string, (response: Response) => Promise<unknown>> = {
    text: (response) => response.text(),
    arrayBuffer: async (response) => Buffer.from(await response.arrayBuffer()).toString(),
    'its body': async ({ body }) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of body as unknown as AsyncIterable<Uint8Array>) pieces.push(piece);
      return Buffer.concat(pieces).toString();
    },
    'a clone of it': (response) => response.clone().text(),
  };
  /** Reads the results of a batch without usage of its own, twice. */
  const reading =
    (file: string, read: (response: Response) => Promise<unknown>): Work =>
    (tracer, url) => {
      const client = tracer.wrapClient(new OpenAI({ apiKey: 'k', baseURL: url, maxRetries: 0 }));
      return async () => [
        await read(await client.files.content(file)),
        await read(await client.files.content(file)),
      ];
    };
  const makeContent = (file: string, content: readonly unknown[]) => ({
    [`/files/${file}/content`]: [content],
  });

  it.each(Object.entries(readers))(
    'has the usage and the status of each result once, when its file is read by %s, and is replayed',
    async (name, read) => {
      const file = `file-${name}`.replaceAll(' ', '-');
      const content = lines('gpt-4o', 'gpt-4o');
      const { item, spans } = await recordAndReplay(reading(file, read), makeContent(file, content));
      const text = content.map((one) => `${JSON.stringify(one)}\n`).join('');
      const found = byKey(spans, 'openai.files.content');
      expect(found.map(readUsage)).toMatchObject([
        { input_tokens: 20, output_tokens: 6, service_tier: 'batch', response_model: 'gpt-4o' },
        { input_tokens: 0, cost_usd: 0 },
      ]);
      expect(found[0]).toMatchObject({
        status: 'ok',
        span_data: {
          output: { response: { status: 200, contentType: 'application/x-jsonl' }, body: text },
          contexts: [{ requestCounts: { completed: 2, failed: 1 } }],
        },
      });
      expect(item).toMatchObject({ verdict: 'same', result: [text, text], divergences: [] });
    },
  );

  it('counts no usage in its file that a retrieval has counted', async () => {
    const both: Work = (tracer, url) => {
      const client = tracer.wrapClient(new OpenAI({ apiKey: 'k', baseURL: url, maxRetries: 0 }));
      return async () => {
        const { output_file_id: file } = await client.batches.retrieve('batch_3');
        return (await client.files.content(file!)).text();
      };
    };
    const { spans } = await recordAndReplay(both, {
      '/batches/batch_3': [batch({ id: 'batch_3', status: 'completed', output_file_id: 'file-3', usage })],
      ...makeContent('file-3', lines('gpt-4o')),
    });
    expect(spans.flatMap((span) => readUsage(span)?.['input_tokens'] ?? []).sort()).toEqual([0, 120]);
  });

  it('whose file holds other lines, or is not read to its end, has no usage', async () => {
    const vendor = await startVendor({
      ...makeContent('a', [{ a: 1 }]),
      ...makeContent('b', lines('gpt-4o')),
    });
    const { tracer, spans } = createTestTracer();
    const client = tracer.wrapClient(new OpenAI({ apiKey: 'k', baseURL: vendor.url }));
    expect(await (await client.files.content('a')).json()).toEqual({ a: 1 });
    await (await client.files.content('b')).body!.cancel();
    vendor.close();
    expect(spans.map(({ status }) => status)).toEqual(['ok', 'cancelled']);
    expect(spans.map(readUsage)).toMatchObject([{ input_tokens: 0 }, { input_tokens: 0 }]);
  });

  it.each([
    ['failed', 'error', { errors: { data: [{ code: 'invalid_file', message: 'It has no lines.' }] } }],
    ['expired', 'error', {}],
    ['cancelled', 'cancelled', {}],
    ['cancelling', 'ok', {}],
  ])('that is %s has a span with the status %s', async (status, expected, fields) => {
    const vendor = await startVendor({ '/batches/batch_2': [batch({ id: 'batch_2', status, ...fields })] });
    const { tracer, spans } = createTestTracer();
    await tracer.wrapClient(new OpenAI({ apiKey: 'k', baseURL: vendor.url })).batches.retrieve('batch_2');
    vendor.close();
    expect(spans).toMatchObject([{ status: expected }]);
    if (status === 'failed')
      expect(spans[0]!.span_data.error).toMatchObject({ name: 'invalid_file', message: 'It has no lines.' });
  });
});

describe('a batch of Anthropic', () => {
  const batch = (status: string, resultsUrl: string | null) => ({
    id: 'msgbatch_1',
    type: 'message_batch',
    processing_status: status,
    request_counts: { processing: 0, succeeded: 2, errored: 1, canceled: 0, expired: 0 },
    results_url: resultsUrl,
  });
  const message = (id: string, model: string) => ({
    id,
    type: 'message',
    model,
    content: [{ type: 'text', text: 'So' }],
    usage: { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 3, service_tier: 'batch' },
  });
  const entry = (custom_id: string, result: object) => ({ custom_id, result });
  const results = (prefix: string, models: readonly string[]) => [
    ...models.map((model, at) =>
      entry(`${at}`, { type: 'succeeded', message: message(`${prefix}_${at}`, model) }),
    ),
    entry('last', { type: 'errored', error: { type: 'error', error: { type: 'api_error', message: 'No' } } }),
  ];
  const work: Work = (tracer, url) => {
    const client = tracer.wrapClient(new Anthropic({ apiKey: 'k', baseURL: url, maxRetries: 0 }));
    const params = { model: 'claude-sonnet-4-5', max_tokens: 9, messages: [] };
    return async () => {
      const { id } = await client.messages.batches.create({ requests: [{ custom_id: '0', params }] });
      const found: string[] = [];
      for (let round = 0; round < 2; round++)
        for await (const one of await client.messages.batches.results(id))
          found.push(`${one.custom_id} ${one.result.type}`);
      return found;
    };
  };
  const answers = (prefix: string, models: readonly string[]) => ({
    '/v1/messages/batches': [batch('in_progress', null)],
    '/v1/messages/batches/msgbatch_1': [batch('ended', '/v1/messages/batches/msgbatch_1/results')],
    '/v1/messages/batches/msgbatch_1/results': [results(prefix, models)],
  });

  it('has the usage of its results once, and is replayed with its results', async () => {
    const { item, spans } = await recordAndReplay(
      work,
      answers('a', ['claude-sonnet-4-5', 'claude-sonnet-4-5']),
    );
    expect(byKey(spans, 'anthropic.messages.batches.results').map(readUsage)).toMatchObject([
      {
        input_tokens: 30,
        cached_input_tokens: 10,
        output_tokens: 6,
        service_tier: 'batch',
        response_model: 'claude-sonnet-4-5',
      },
      { input_tokens: 0, cost_usd: 0 },
    ]);
    expect(item).toMatchObject({ verdict: 'same', divergences: [] });
  });

  it('of several models names none, so that no wrong price is used', async () => {
    const { spans } = await recordAndReplay(work, answers('b', ['claude-sonnet-4-5', 'claude-opus-4-1']));
    const [first] = byKey(spans, 'anthropic.messages.batches.results').map(readUsage);
    expect(first).toMatchObject({ input_tokens: 30 });
    expect(first).not.toHaveProperty('response_model');
  });
});

describe('a batch of Google', () => {
  const job = (state: string, name: string, more: object = {}) => ({
    name,
    metadata: { state, model: 'models/gemini-2.5-flash', ...more },
  });
  const response = {
    candidates: [{ content: { parts: [{ text: 'So' }], role: 'model' }, finishReason: 'STOP' }],
    modelVersion: 'gemini-2.5-flash',
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 3, totalTokenCount: 13 },
  };
  const results = {
    output: {
      inlinedResponses: {
        inlinedResponses: [{ response }, { response }, { error: { code: 3, message: 'No' } }],
      },
    },
  };
  const createClient = (tracer: Tracer, baseUrl: string) =>
    tracer.wrapClient(new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl } }));
  const get = async (name: string, answer: object) => {
    const vendor = await startVendor({ [`/v1/${name}`]: [answer] });
    const { tracer, spans } = createTestTracer();
    await createClient(tracer, vendor.url).batches.get({ name });
    vendor.close();
    return spans[0]!;
  };

  it('has the usage of its results once, at the price of a batch, and is replayed', async () => {
    const work: Work = (tracer, url) => {
      const client = createClient(tracer, url);
      return async () => {
        const src = [{ contents: [{ role: 'user', parts: [{ text: 'Hm?' }] }] }];
        const { name = '' } = await client.batches.create({ model: 'gemini-2.5-flash', src });
        let found = await client.batches.get({ name });
        while (found.state === JobState.JOB_STATE_RUNNING) found = await client.batches.get({ name });
        return (await client.batches.get({ name })).dest?.inlinedResponses?.map((one) => one.error ?? one);
      };
    };
    const name = 'batches/1';
    const { item, spans } = await recordAndReplay(work, {
      '/v1/models/gemini-2.5-flash:batchGenerateContent': [job('BATCH_STATE_PENDING', name)],
      [`/v1/${name}`]: [job('BATCH_STATE_RUNNING', name), job('BATCH_STATE_SUCCEEDED', name, results)],
    });
    expect(byKey(spans, 'google.batches.create').map(readUsage)).toMatchObject([
      { model: 'gemini-2.5-flash', cost_usd: 0 },
    ]);
    const got = byKey(spans, 'google.batches.get');
    expect(got.map(readUsage)).toMatchObject([
      { input_tokens: 0, cost_usd: 0 },
      { input_tokens: 20, output_tokens: 6, service_tier: 'batch', response_model: 'gemini-2.5-flash' },
      { input_tokens: 0, cost_usd: 0 },
    ]);
    expect(got[1]!.span_data.contexts).toMatchObject([{ requestCounts: { succeeded: 2, failed: 1 } }]);
    expect(item).toMatchObject({ verdict: 'same', divergences: [] });
  });

  const download = (folder: string): Work => {
    let files = 0;
    return (tracer, url) => {
      const client = createClient(tracer, url);
      return async () => {
        const downloadPath = join(folder, String(files++));
        await client.files.download({ file: 'files/results', downloadPath });
        return readFile(downloadPath, 'utf8');
      };
    };
  };
  const inFile = [
    { key: '0', response },
    { key: '1', response },
    { key: '2', error: { code: 3, message: 'No' } },
  ];
  const fileText = inFile.map((line) => `${JSON.stringify(line)}\n`).join('');
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dacapo-batch-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('has the usage and the status of each result in its file, and a replay writes the file', async () => {
    const { item, spans } = await recordAndReplay(download(folder), {
      '/v1/files/results:download': [inFile],
    });
    expect(byKey(spans, 'google.files.download')).toMatchObject([
      {
        status: 'ok',
        span_data: {
          input: [{ file: 'files/results' }],
          output: { response: { status: 200, contentType: 'application/x-jsonl' }, body: fileText },
          usage: {
            input_tokens: 20,
            output_tokens: 6,
            service_tier: 'batch',
            response_model: 'gemini-2.5-flash',
          },
          contexts: [{ requestCounts: { succeeded: 2, failed: 1 } }],
        },
      },
    ]);
    expect(item).toMatchObject({ verdict: 'same', result: fileText, divergences: [] });
  });

  it('counts no usage in a file that was downloaded before', async () => {
    const vendor = await startVendor({ '/v1/files/results:download': [inFile] });
    const { tracer, spans } = createTestTracer();
    await download(folder)(tracer, vendor.url)();
    vendor.close();
    expect(spans.map(readUsage)).toMatchObject([{ input_tokens: 0, cost_usd: 0 }]);
  });

  it('whose file cannot be downloaded has a failed span, and the client throws as before', async () => {
    const { tracer, spans } = createTestTracer();
    await expect(download(folder)(tracer, 'http://127.0.0.1:1')()).rejects.toThrow('fetch failed');
    expect(spans).toMatchObject([{ status: 'error' }]);
  });

  it('of embeddings has their tokens', async () => {
    const embedded = { response: { embedding: { values: [1] }, tokenCount: '7' } };
    const output = { inlinedEmbedContentResponses: { inlinedResponses: [embedded, embedded] } };
    const span = await get('batches/2', job('BATCH_STATE_SUCCEEDED', 'batches/2', { output }));
    expect(readUsage(span)).toMatchObject({ input_tokens: 14, service_tier: 'batch' });
  });

  it.each([
    ['BATCH_STATE_FAILED', 'error'],
    ['BATCH_STATE_EXPIRED', 'error'],
    ['BATCH_STATE_CANCELLED', 'cancelled'],
    ['BATCH_STATE_RUNNING', 'ok'],
  ])('in %s has a span with the status %s', async (state, status) => {
    expect(await get('batches/3', job(state, 'batches/3'))).toMatchObject({ status });
  });
});
