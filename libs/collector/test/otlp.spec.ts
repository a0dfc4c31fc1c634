import {
  fromW3cTraceId,
  LIMITS,
  newSpanId,
  newTraceId,
  type SpanRecord,
  toW3cTraceId,
} from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import type request from 'supertest';
import * as zlib from 'node:zlib';
import { DeletionRunner } from '../src/deletions/deletion-runner.js';
import { RetentionService } from '../src/deletions/retention-service.js';
import {
  decodeMessage,
  encodeSpan,
  field,
  frameRequest,
  jsonRequest,
  protobufRequest,
  type TestSpan,
} from './support/otlp-request.js';
import { span as ownSpan } from './support/records.js';
import { runService, type Service, type Tenant } from './support/service.js';

const PROTOBUF = 'application/x-protobuf';
const JSON_TYPE = 'application/json';

let service: Service;
let tenant: Tenant;

runService((opened, account) => {
  service = opened;
  tenant = account;
}, 'each test');

function send(body: Buffer | string, headers: Record<string, string> = {}): request.Test {
  return service.anonymous
    .post(API.otlp.send.path)
    .set({ authorization: `Bearer ${tenant.apiKey}`, 'content-type': PROTOBUF, ...headers })
    .serialize((raw: unknown) => raw as string)
    .buffer(true)
    .parse((response, done) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(Buffer.from(chunk)));
      response.on('end', () => {
        done(null, Buffer.concat(chunks));
      });
    })
    .send(body);
}

const newW3cTraceId = (): string => toW3cTraceId(newTraceId());
const MODEL_CALL = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-5' };
const HTTP = { 'http.request.method': 'POST', 'http.route': '/desk' };

function modelCall(traceId: string, more: Partial<TestSpan> = {}): TestSpan {
  return { traceId, spanId: newSpanId(), name: 'chat gpt-5', attributes: MODEL_CALL, ...more };
}

async function readTrace(w3cTraceId: string): Promise<{ id: string; parent_id?: string; name: string }[]> {
  const id = fromW3cTraceId(w3cTraceId) ?? '';
  const { body, status } = await tenant.get(routePath(API.traces.get, { id }));
  return status === 404 ? [] : body.spans;
}

async function readSpan({ traceId, spanId }: TestSpan): Promise<SpanRecord> {
  const id = fromW3cTraceId(traceId) ?? '';
  return (await tenant.get(routePath(API.traces.getSpan, { id, span_id: spanId })).expect(200)).body;
}

const partial = (body: unknown): Record<string, unknown> =>
  decodeMessage('ExportTraceServiceResponse', body as Buffer)['partialSuccess'] as Record<string, unknown>;

describe('POST /v1/traces', () => {
  it('answers protobuf with an empty message in protobuf', async () => {
    const answer = await send(protobufRequest([modelCall(newW3cTraceId())])).expect(200);
    expect(answer.headers['content-type']).toBe(PROTOBUF);
    expect(answer.body).toHaveLength(0);
  });

  it.each([JSON_TYPE, 'application/json; charset=utf-8', 'APPLICATION/JSON;charset=UTF-8'])(
    'answers %s with an empty object',
    async (type) => {
      const answer = await send(jsonRequest([modelCall(newW3cTraceId())]), { 'content-type': type }).expect(
        200,
      );
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      expect(answer.body.toString()).toBe('{}');
    },
  );

  it('stores the same span from protobuf and from JSON', async () => {
    const attributes = {
      ...MODEL_CALL,
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 3,
      'gen_ai.input.messages': JSON.stringify([
        { role: 'user', parts: [{ type: 'text', content: 'Grüße 🎻' }] },
      ]),
      'app.list': ['a', 1, 2.5, true, { b: 'c' }],
    };
    const first = modelCall(newW3cTraceId(), { attributes });
    const second = { ...first, traceId: newW3cTraceId() };
    await send(protobufRequest([first], { resource: { 'service.name': 'desk' } })).expect(200);
    const json = jsonRequest([second], { resource: { 'service.name': 'desk' } });
    await send(json, { 'content-type': JSON_TYPE }).expect(200);
    const [one, other] = [await readSpan(first), await readSpan(second)];
    expect({ ...one, trace_id: '' }).toEqual({ ...other, trace_id: '' });
    expect(one).toMatchObject({
      type: 'llm',
      duration_ms: 1500,
      span_data: {
        input: [[{ role: 'user', content: 'Grüße 🎻' }]],
        prompt: 'user:\nGrüße 🎻',
        usage: { model: 'gpt-5', input_tokens: 12, output_tokens: 3 },
      },
    });
  });

  it.each([
    ['gzip', (body: Buffer) => zlib.gzipSync(body)],
    ['br', (body: Buffer) => zlib.brotliCompressSync(body)],
  ])('takes %s', async (encoding, compress) => {
    const sent = modelCall(newW3cTraceId());
    await send(compress(protobufRequest([sent])), { 'content-encoding': encoding }).expect(200);
    await readSpan(sent);
  });

  it('takes zstd where Node has it, and says so where not', async () => {
    const { zstdCompressSync } = zlib as { zstdCompressSync?: (body: Buffer) => Buffer };
    const body = protobufRequest([modelCall(newW3cTraceId())]);
    const sent = zstdCompressSync?.(body) ?? body;
    const answer = await send(sent, { 'content-encoding': 'zstd' });
    expect(answer.status).toBe(zstdCompressSync === undefined ? 415 : 200);
  });

  it('answers errors as google.rpc.Status in the media type of the request', async () => {
    const unauthorized = await send(Buffer.alloc(0), { authorization: 'Bearer wrong' }).expect(401);
    expect(unauthorized.headers['content-type']).toBe(PROTOBUF);
    expect(decodeMessage('RpcStatus', unauthorized.body)).toEqual({ code: 16, message: 'Invalid API key' });
    const noType = await send('x', { 'content-type': 'text/plain' }).expect(415);
    expect(JSON.parse(noType.body.toString())).toMatchObject({
      code: 3,
      message: 'Content-Type must be application/x-protobuf or application/json',
    });
    const noJson = await send('[1', { 'content-type': JSON_TYPE }).expect(400);
    expect(JSON.parse(noJson.body.toString())).toMatchObject({ code: 3, message: 'The body ends early' });
    const noProtobuf = await send(Buffer.from([0xff, 0xff])).expect(400);
    expect(decodeMessage('RpcStatus', noProtobuf.body)).toEqual({
      code: 3,
      message: 'The body ends within a number',
    });
  });

  it('needs the scope ingest', async () => {
    const reader = await service.withKey(tenant.accountId, 'read');
    const answer = await send(Buffer.alloc(0), { authorization: `Bearer ${reader.apiKey}` }).expect(403);
    expect(decodeMessage('RpcStatus', answer.body)).toMatchObject({ code: 7 });
  });

  it('takes the key of API-Key too', async () => {
    const body = protobufRequest([modelCall(newW3cTraceId())]);
    await send(body, { authorization: '', 'api-key': tenant.apiKey }).expect(200);
  });

  it.each(['/v1/logs', '/v1/metrics'])('says on %s what to set', async (path) => {
    const answer = await service.anonymous
      .post(path)
      .set({ 'api-key': tenant.apiKey, 'content-type': JSON_TYPE })
      .send('{}')
      .expect(404);
    expect(answer.body).toMatchObject({
      code: 5,
      message: expect.stringContaining('OTEL_LOGS_EXPORTER=none'),
    });
  });

  it('refuses more spans than a request may have', async () => {
    const spans = Array.from({ length: LIMITS.bodyLines + 1 }, () => Buffer.alloc(0));
    const answer = await send(zlib.gzipSync(frameRequest(spans)), { 'content-encoding': 'gzip' }).expect(413);
    expect(decodeMessage('RpcStatus', answer.body)['message']).toContain('smaller batches');
  });
});

describe('an account that sends by OTLP', () => {
  it('is held to the rate of its key, and learns when to try again', async () => {
    const limited = { name: 'exporter', scopes: ['ingest'], requests_per_minute: 6 };
    const { body: key } = await tenant.post(API.apiKeys.create.path, limited).expect(201);
    const sendOne = () =>
      send(protobufRequest([modelCall(newW3cTraceId())]), { authorization: `Bearer ${key.api_key}` });
    await sendOne().expect(200);
    const refused = await sendOne().expect(429);
    expect(decodeMessage('RpcStatus', refused.body)).toMatchObject({ code: 8 });
    expect(Number(refused.get('retry-after'))).toBeGreaterThan(0);
  });

  it('leaves another account its turns while it sends as much as it can', async () => {
    const other = await service.addTenant();
    let isSending = true;
    const words = { 'gen_ai.input.messages': 'The parcel is late. '.repeat(2_000) };
    const flood = async (): Promise<number[]> => {
      const statuses = [];
      while (isSending) {
        const spans = Array.from({ length: 20 }, () =>
          modelCall(newW3cTraceId(), { attributes: { ...MODEL_CALL, ...words } }),
        );
        statuses.push((await send(protobufRequest(spans))).status);
      }
      return statuses;
    };
    const floods = Array.from({ length: 8 }, flood);
    const sent = Array.from({ length: 10 }, () => modelCall(newW3cTraceId()));
    for (const one of sent)
      await send(protobufRequest([one]), { authorization: `Bearer ${other.apiKey}` }).expect(200);
    isSending = false;
    const statuses = (await Promise.all(floods)).flat();
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    expect(statuses).toContain(200);
    const { body } = await other.get(API.traces.list.path).expect(200);
    expect(body.items).toHaveLength(sent.length);
  });

  it('has its traces deleted by their own age', async () => {
    const sent = modelCall(newW3cTraceId());
    const years = (count: number) => ({ days: count * 365 });
    await send(protobufRequest([sent])).expect(200);
    await tenant.post(API.retention.set.path, years(20)).expect(200);
    await service.app.get(RetentionService).apply();
    await service.app.get(DeletionRunner).idle();
    expect(await readTrace(sent.traceId)).toHaveLength(1);
    await tenant.post(API.retention.set.path, years(1)).expect(200);
    await service.app.get(RetentionService).apply();
    await service.app.get(DeletionRunner).idle();
    expect(await readTrace(sent.traceId)).toEqual([]);
  });
});

describe('a bad span', () => {
  const good = (): TestSpan => modelCall(newW3cTraceId());

  it.each<[string, Buffer, string]>([
    ['that is empty', Buffer.alloc(0), 'trace_id must have 16 bytes'],
    ['whose bytes are no message', Buffer.from([0x0a, 0x50, 1]), 'has a field that is longer than the span'],
    ['with a wire type of no protobuf', Buffer.from([0x0f]), 'has a field of the unknown wire type 7'],
    ['that ends in a number', Buffer.from([0x30, 0x80]), 'ends within a number'],
    [
      'with a short trace id',
      encodeSpan({ traceId: 'abcd', spanId: newSpanId() }),
      'trace_id must have 16 bytes',
    ],
    [
      'with too many fields',
      Buffer.concat(Array<Buffer>(50_001).fill(Buffer.from([0x4a, 0]))),
      'has more than',
    ],
    [
      'that nests too deep',
      field(
        9,
        field(
          2,
          Array.from({ length: 300 }).reduce<Buffer>((inner) => field(5, field(1, inner)), Buffer.alloc(0)),
        ),
      ),
      'nests deeper than',
    ],
  ])('%s does not affect its neighbours', async (_, bad, problem) => {
    const [first, last] = [good(), good()];
    const body = frameRequest([encodeSpan(first), bad, encodeSpan(last)]);
    const answer = await send(body).expect(200);
    expect(partial(answer.body)).toEqual({
      rejectedSpans: 1,
      errorMessage: expect.stringContaining(problem),
    });
    await readSpan(first);
    await readSpan(last);
  });

  it('in JSON does not affect its neighbours', async () => {
    const [first, last] = [good(), good()];
    const deep = `{"traceId":${'['.repeat(600)}${']'.repeat(600)}}`;
    const body = jsonRequest([first, last]).replace('},{"name"', `},{"traceId":"x"},7,{bad},${deep},{"name"`);
    const answer = await send(body, { 'content-type': JSON_TYPE }).expect(200);
    expect(JSON.parse(answer.body.toString())).toEqual({
      partialSuccess: { rejectedSpans: '4', errorMessage: expect.stringContaining('is not JSON') },
    });
    await readSpan(first);
    await readSpan(last);
  });

  it.each([PROTOBUF, JSON_TYPE])('is the one that a %s body ends in', async (type) => {
    const [first, last] = [good(), good()];
    const whole =
      type === PROTOBUF ? protobufRequest([first, last]) : Buffer.from(jsonRequest([first, last]));
    const answer = await send(whole.subarray(0, whole.length - 60), { 'content-type': type }).expect(200);
    expect(answer.body.toString()).toContain('ends early');
    await readSpan(first);
  });

  it('is none for a byte that is not UTF-8, which becomes U+FFFD', async () => {
    const sent = modelCall(newW3cTraceId(), {
      attributes: { ...MODEL_CALL, 'gen_ai.prompt.0.content': 'a#b' },
    });
    const bytes = encodeSpan(sent);
    bytes[bytes.indexOf('a#b') + 1] = 0xff;
    const answer = await send(frameRequest([bytes])).expect(200);
    expect(answer.body).toHaveLength(0);
    expect((await readSpan(sent)).span_data.input).toEqual([[{ role: 'user', content: 'a\ufffdb' }]]);
  });

  it('is none for a resource that cannot be decoded', async () => {
    const sent = good();
    const scopeSpans = field(2, encodeSpan(sent));
    const body = field(1, Buffer.concat([field(1, Buffer.from([0x0f])), field(2, scopeSpans)]));
    expect((await send(body).expect(200)).body).toHaveLength(0);
    await readSpan(sent);
  });
});

describe('spans without AI content', () => {
  it('are not stored, and not rejected; spans inside attach to the nearest stored ancestor', async () => {
    const traceId = newW3cTraceId();
    const agent = modelCall(traceId, {
      name: 'agent',
      attributes: { 'gen_ai.operation.name': 'invoke_agent' },
    });
    const post = { traceId, spanId: newSpanId(), parentSpanId: agent.spanId, attributes: HTTP };
    const connect = { traceId, spanId: newSpanId(), parentSpanId: post.spanId, attributes: HTTP };
    const call = modelCall(traceId, { parentSpanId: connect.spanId });
    const answer = await send(protobufRequest([call, connect, post, agent])).expect(200);
    expect(answer.body).toHaveLength(0);
    const spans = await readTrace(traceId);
    expect(spans).toHaveLength(2);
    expect(spans.find(({ id }) => id === call.spanId)?.parent_id).toBe(agent.spanId);
  });

  it('are known when spans inside arrive later', async () => {
    const traceId = newW3cTraceId();
    const server = { traceId, spanId: newSpanId(), attributes: HTTP };
    const call = modelCall(traceId, { parentSpanId: server.spanId });
    await send(protobufRequest([server])).expect(200);
    await send(protobufRequest([call])).expect(200);
    expect(await readTrace(traceId)).toMatchObject([{ id: call.spanId }]);
    expect((await readTrace(traceId))[0]).not.toHaveProperty('parent_id');
  });

  it('are stored when a stored span, which arrived before, has them as its parent', async () => {
    const traceId = newW3cTraceId();
    const agent = modelCall(traceId, { attributes: { 'gen_ai.operation.name': 'invoke_agent' } });
    const post = { traceId, spanId: newSpanId(), parentSpanId: agent.spanId, attributes: HTTP };
    const beside = { traceId, spanId: newSpanId(), parentSpanId: agent.spanId, attributes: HTTP };
    const call = modelCall(traceId, { parentSpanId: post.spanId });
    for (const spans of [[call], [post, beside], [agent]]) await send(protobufRequest(spans)).expect(200);
    const spans = await readTrace(traceId);
    expect(spans.map(({ id }) => id).sort()).toEqual([agent, post, call].map(({ spanId }) => spanId).sort());
    expect(spans.find(({ id }) => id === call.spanId)?.parent_id).toBe(post.spanId);
  });

  it('are stored when their resource asks for it', async () => {
    const sent = { traceId: newW3cTraceId(), spanId: newSpanId(), attributes: HTTP };
    await send(protobufRequest([sent], { resource: { 'dacapo.keep': true } })).expect(200);
    expect(await readSpan(sent)).toMatchObject({ type: 'custom' });
  });
});

describe('a trace that our SDK and OTLP record under one id', () => {
  it('is one trace', async () => {
    const own = ownSpan();
    await tenant.store(own);
    const call = modelCall(toW3cTraceId(own.trace_id), { parentSpanId: own.id });
    await send(protobufRequest([call])).expect(200);
    const spans = await readTrace(call.traceId);
    expect(spans.map(({ id, parent_id }) => [id, parent_id])).toEqual(
      expect.arrayContaining([
        [own.id, undefined],
        [call.spanId, own.id],
      ]),
    );
  });

  it('is the same after the request is sent again', async () => {
    const traceId = newW3cTraceId();
    const server = { traceId, spanId: newSpanId(), attributes: HTTP };
    const call = modelCall(traceId, {
      parentSpanId: server.spanId,
      events: [
        {
          name: 'gen_ai.evaluation.result',
          attributes: { 'gen_ai.evaluation.name': 'polite', 'gen_ai.evaluation.score.value': 0.5 },
        },
      ],
    });
    for (let time = 0; time < 2; time++) await send(protobufRequest([server, call])).expect(200);
    expect(await readTrace(traceId)).toHaveLength(1);
    const { body } = await tenant
      .get(`${API.scores.list.path}?trace_id=${fromW3cTraceId(traceId)}`)
      .expect(200);
    expect(body.items).toMatchObject([{ name: 'polite', value: 0.5, author: { name: 'tests' } }]);
  });
});

describe('the resource of a sender', () => {
  it('is stored on the outermost span of each sender in a request', async () => {
    const traceId = newW3cTraceId();
    const agent = modelCall(traceId);
    const call = modelCall(traceId, { parentSpanId: agent.spanId });
    const remote = modelCall(traceId, { parentSpanId: call.spanId });
    const late = modelCall(traceId, { parentSpanId: agent.spanId });
    const desk = { resource: { 'service.name': 'desk' } };
    await send(
      Buffer.concat([
        protobufRequest([call, agent], desk),
        protobufRequest([remote], { resource: { 'service.name': 'crm' } }),
      ]),
    ).expect(200);
    await send(protobufRequest([late], desk)).expect(200);
    const readService = async (sent: TestSpan): Promise<unknown> => {
      const { contexts = [] } = (await readSpan(sent)).span_data;
      return contexts.map(({ otel }) => (otel as { resource?: unknown }).resource);
    };
    expect(await readService(agent)).toEqual([{ 'service.name': 'desk' }]);
    expect(await readService(call)).toEqual([undefined]);
    expect(await readService(remote)).toEqual([{ 'service.name': 'crm' }]);
    expect(await readService(late)).toEqual([{ 'service.name': 'desk' }]);
  });
});

describe('a large span, which a thread reads', () => {
  const secret = 'my password: hunter2hunter2';
  const large = (more: Partial<TestSpan> = {}): TestSpan =>
    modelCall(newW3cTraceId(), {
      attributes: {
        ...MODEL_CALL,
        'gen_ai.prompt.0.content': secret,
        'app.long': 'a text '.repeat(20_000),
        'app.list': [1, { __proto__: null, a: [true, 'b'] }],
      },
      events: [{ name: 'gen_ai.evaluation.result', attributes: { 'gen_ai.evaluation.name': 'polite' } }],
      ...more,
    });
  const encode = (type: string, spans: readonly TestSpan[], source = {}): Buffer =>
    type === PROTOBUF ? protobufRequest(spans, source) : Buffer.from(jsonRequest(spans, source));

  it.each([PROTOBUF, JSON_TYPE])('is stored as a small one is: %s', async (type) => {
    const sent = large();
    const small = modelCall(sent.traceId, {
      ...sent,
      spanId: newSpanId(),
      attributes: { ...sent.attributes, 'app.long': 'a text' },
    });
    const source = { resource: { 'service.version': 'v1', 'app.place': 'Berlin' } };
    await send(encode(type, [sent, small], source), { 'content-type': type }).expect(200);
    const [stored, storedSmall] = [await readSpan(sent), await readSpan(small)];
    expect(JSON.stringify(stored)).not.toContain('hunter2');
    expect(JSON.parse(JSON.stringify(stored).replaceAll('a text ', ''))).toEqual({
      ...JSON.parse(JSON.stringify(storedSmall).replaceAll('a text', '')),
      id: stored.id,
      // The ids of scores are derived from that of their span.
      scores: [expect.objectContaining({ name: 'polite', span_id: stored.id })],
    });
  });

  it.each([PROTOBUF, JSON_TYPE])('that is bad does not affect its neighbours: %s', async (type) => {
    const [first, last] = [large(), modelCall(newW3cTraceId())];
    const bad = large({ traceId: '0'.repeat(32) });
    const answer = await send(encode(type, [first, bad, last]), { 'content-type': type }).expect(200);
    expect(answer.body.toString()).toContain('A span trace_id must have 16 bytes');
    await readSpan(first);
    await readSpan(last);
  });

  it('is skipped without AI content, and stored when a stored span has it as its parent', async () => {
    const attributes = { ...HTTP, 'app.long': 'a text '.repeat(20_000) };
    const parent = large({ name: 'request', attributes, events: [] });
    const child = modelCall(parent.traceId, { parentSpanId: parent.spanId });
    await send(protobufRequest([child])).expect(200);
    await send(protobufRequest([parent, large({ name: 'other', attributes, events: [] })])).expect(200);
    expect((await readTrace(parent.traceId)).map(({ name }) => name).sort()).toEqual([
      'chat gpt-5',
      'request',
    ]);
  });
});

it('refuses a large resource that each of many spans would copy', async () => {
  const spans = Array.from({ length: LIMITS.bodyLines }, () => modelCall(newW3cTraceId()));
  const resource = { 'app.text': 'x'.repeat(1024 * 1024) };
  const answer = await send(protobufRequest(spans, { resource })).expect(413);
  expect(decodeMessage('RpcStatus', answer.body as Buffer)['message']).toContain('needs more memory');
});

describe('secrets', () => {
  it('are masked in attributes, messages and JSON inside texts', async () => {
    const secret = 'hunter2hunter2';
    const sent = modelCall(newW3cTraceId(), {
      name: 'chat',
      attributes: {
        ...MODEL_CALL,
        'gen_ai.input.messages': JSON.stringify([
          { role: 'user', parts: [{ type: 'text', content: `my password: ${secret}` }] },
          {
            role: 'tool',
            parts: [{ type: 'tool_call_response', id: '1', response: JSON.stringify({ apiKey: secret }) }],
          },
        ]),
        'http.request.header.authorization': [`Bearer ${secret}`],
        'app.config': JSON.stringify({
          inner: JSON.stringify({ headers: [{ name: 'x-api-key', value: secret }] }),
        }),
      },
      status: { code: 2, message: `login failed, password=${secret}` },
    });
    await send(protobufRequest([sent], { resource: { 'db.password': secret } })).expect(200);
    const stored = await readSpan(sent);
    expect(JSON.stringify(stored)).not.toContain(secret);
    expect(JSON.stringify(stored)).toContain('[redacted:');
    expect(stored.span_data.meta?.input?.redacted).toContain('/0/0/content');
  });

  it('are masked in labels, tags and usage, and in names of attributes and pointers into them', async () => {
    const key = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD';
    const sent = modelCall(newW3cTraceId(), {
      name: `chat ${key}`,
      attributes: {
        ...MODEL_CALL,
        'gen_ai.response.model': key,
        'session.id': key,
        'user.id': key,
        'dacapo.tags': [key, 'beta'],
        [key]: { password: 'hunter2hunter2' },
      },
    });
    await send(
      protobufRequest([sent], { resource: { 'service.version': key, 'deployment.environment': key } }),
    ).expect(200);
    const stored = await readSpan(sent);
    const trace = await tenant.get(`${API.traces.list.path}/${stored.trace_id}`).expect(200);
    expect(JSON.stringify([stored, trace.body])).not.toMatch(/sk-proj-abc|hunter2hunter2/);
    expect(stored.span_data.usage?.model).toBe('gpt-5');
    expect(trace.body.tags).toContain('beta');
  });
});

describe('costs', () => {
  it('are computed from the usage', async () => {
    const sent = modelCall(newW3cTraceId(), {
      attributes: {
        ...MODEL_CALL,
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.provider.name': 'openai',
        'gen_ai.usage.input_tokens': 1000,
        'gen_ai.usage.output_tokens': 100,
      },
    });
    await send(protobufRequest([sent])).expect(200);
    const { body } = await tenant.get(routePath(API.traces.get, { id: fromW3cTraceId(sent.traceId) ?? '' }));
    expect(body.usage.cost_usd).toBeGreaterThan(0);
  });
});
