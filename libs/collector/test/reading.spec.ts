import { newTraceId } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { ndjson, span, startedAt } from './support/records.js';
import { Service, type Tenant } from './support/service.js';

let service: Service;
let tenant: Tenant;
const root = span({ name: 'reply', started_at: startedAt(1) });
const usage = { model: 'small-1', input_tokens: 30, output_tokens: 12 };
const child = span({
  trace_id: root.trace_id,
  parent_id: root.id,
  trace_function_key: 'check',
  type: 'guardrail',
});
const other = span({
  trace_function_key: 'classify',
  status: 'error',
  started_at: startedAt(2),
  duration_ms: 200,
  trace_metadata: { plan: 'free', seats: 5 },
  span_data: { input: ['question'], output: 'answer', usage },
});

const toCursor = (key: unknown): string => Buffer.from(JSON.stringify(key)).toString('base64url');

beforeAll(async () => {
  service = await Service.start();
  tenant = await service.addTenant();
  await tenant.ingest(
    ndjson([
      { span: root },
      { span: child },
      { span: other },
      {
        trace: {
          id: root.trace_id,
          session_id: 'session 1',
          metadata: { plan: 'pro', user: { seats: '5' } },
          contexts: { user: 'u' },
        },
      },
    ]),
  );
});

afterAll(() => service.close());

describe('GET traces', () => {
  it('lists summaries without payloads, the newest first', async () => {
    const { body } = await tenant.get(API.traces.list.path).expect(200);
    expect(body.items.map((trace: { id: string }) => trace.id)).toEqual([other.trace_id, root.trace_id]);
    expect(body.items[1]).toEqual({
      id: root.trace_id,
      session_id: 'session 1',
      trace_function_key: 'answer',
      name: 'reply',
      type: 'llm',
      status: 'ok',
      started_at: root.started_at,
      ended_at: root.ended_at,
      duration_ms: 1500,
      span_count: 2,
      error_count: 0,
      input_preview: '["question"]',
      output_preview: '"answer"',
    });
  });

  it.each([
    ['trace_function_key=check', [root.trace_id]],
    ['session_id=session%201', [root.trace_id]],
    ['status=error', [other.trace_id]],
    ['test_run_id=none', []],
    ['until=2000-01-01T00:00:00Z', []],
    ['limit=1', [other.trace_id]],
    ['name=reply', [root.trace_id]],
    ['type=guardrail', [root.trace_id]],
    ['type=guardrail&trace_function_key=answer', []],
    ['name=answer&type=llm', [other.trace_id]],
    ['model=small-1', [other.trace_id]],
    ['min_duration_ms=1500', [root.trace_id]],
    ['max_duration_ms=1499.5', [other.trace_id]],
    ['min_tokens=42&max_tokens=42', [other.trace_id]],
    ['max_tokens=41', []],
    ['metadata.plan=pro', [root.trace_id]],
    ['metadata.user.seats=5', [root.trace_id]],
    ['metadata.user.seats=%225%22', [root.trace_id]],
    ['metadata.seats=5', [other.trace_id]],
    ['metadata.seats=%225%22', []],
    ['metadata.plan=pro&metadata.seats=5', []],
    ['sort=time', [other.trace_id, root.trace_id]],
    ['sort=duration_ms', [root.trace_id, other.trace_id]],
    ['sort=tokens', [other.trace_id, root.trace_id]],
    ['sort=tokens&trace_function_key=check', [root.trace_id]],
  ])('filters and sorts by %s', async (query, ids) => {
    const { body } = await tenant.get(`${API.traces.list.path}?${query}`).expect(200);
    expect(body.items.map((trace: { id: string }) => trace.id)).toEqual(ids);
  });

  it('pages by cursor', async () => {
    const { body: first } = await tenant.get(`${API.traces.list.path}?limit=1`);
    const { body: last } = await tenant.get(`${API.traces.list.path}?limit=1&cursor=${first.next_cursor}`);
    expect(last.items.map((trace: { id: string }) => trace.id)).toEqual([root.trace_id]);
    expect(last).not.toHaveProperty('next_cursor');
  });

  it.each([
    ['limit=0', 'limit must be a whole number from 1 to 200, not 0'],
    ['limit=x', 'limit must be a whole number from 1 to 200'],
    ['limit=1&limit=2', 'limit must be a whole number from 1 to 200'],
    ['cursor=x', 'cursor does not belong to this list. Omit it to start from the first page.'],
    ['since=yesterday', 'since must be an ISO 8601 time'],
    ['status=great', 'status must be one of ok, error, cancelled, unfinished, not "great"'],
    ['min_tokens=-1', 'min_tokens must be a number of at least 0, not -1'],
    ['max_duration_ms=slow', 'max_duration_ms must be a number of at least 0, not "slow"'],
    ['min_tokens=2&max_tokens=1', 'min_tokens must not be greater than max_tokens, which is 1'],
    ['type=model', 'type must be one of llm, agent, function'],
    ['sort=size', 'sort must be one of time, oldest, duration_ms, tokens, cost_usd, span_count, not "size"'],
    ['metadata.=gold', 'metadata. must name a member of the metadata, such as metadata.tier'],
    ['metadata=gold', 'metadata must name a path, such as metadata.tier=gold'],
    ['metadata.a.b.c.d.e.f.g=1', 'must name at most 6 members, not 7'],
    ['metadata.a%22b=1', 'must not contain a quotation mark'],
    ['abcdefghi'.replace(/./g, '&metadata.$&=1'), 'exceeds the limit: at most 8'],
    ['score_is=good', 'score must name the score'],
    [`sort=tokens&cursor=${toCursor(['duration_ms', 3, 'a'])}`, 'cursor does not belong to this list'],
    [
      `sort=tokens&cursor=${toCursor(['2026-01-31T12:00:00.000000Z', 'a'])}`,
      'cursor does not belong to this list',
    ],
    ['session_id=a&session_id=b', 'session_id must be a string, not an array'],
  ])('refuses %s', async (query, detail) => {
    const { body } = await tenant.get(`${API.traces.list.path}?${query}`).expect(400);
    expect(body).toEqual({ detail: expect.stringContaining(detail), status_code: 400 });
  });
});

describe('GET one trace, one span', () => {
  it('returns the structure of a trace without payloads', async () => {
    const { body } = await tenant.get(routePath(API.traces.get, { id: root.trace_id })).expect(200);
    expect(body).toMatchObject({ metadata: { plan: 'pro', user: { seats: '5' } }, contexts: { user: 'u' } });
    expect(body.spans).toHaveLength(2);
    expect(body.spans[0]).not.toHaveProperty('span_data');
  });

  it('returns a span as it was recorded', async () => {
    const path = routePath(API.traces.getSpan, { id: root.trace_id, span_id: child.id });
    expect((await tenant.get(path).expect(200)).body).toEqual(child);
  });

  it('reports which trace or span is unknown', async () => {
    const id = newTraceId();
    const trace = await tenant.get(routePath(API.traces.get, { id })).expect(404);
    expect(trace.body).toEqual({ detail: `Trace ${id} not found`, status_code: 404 });
    const one = await tenant
      .get(routePath(API.traces.getSpan, { id: root.trace_id, span_id: other.id }))
      .expect(404);
    expect(one.body).toEqual({
      detail: `Span ${other.id} of trace ${root.trace_id} not found`,
      status_code: 404,
    });
  });
});

describe('GET keys and sessions', () => {
  it('sums up keys', async () => {
    const { body } = await tenant.get(API.traces.listKeys.path).expect(200);
    expect(body.items.map((key: { trace_function_key: string }) => key.trace_function_key).sort()).toEqual([
      'answer',
      'check',
      'classify',
    ]);
  });

  it('sums up sessions', async () => {
    const { body } = await tenant.get(API.traces.listSessions.path).expect(200);
    expect(body).toEqual({
      items: [
        {
          session_id: 'session 1',
          trace_count: 1,
          first_started_at: root.started_at,
          last_started_at: root.started_at,
        },
      ],
    });
  });
});

describe('POST calls/search', () => {
  it('returns the calls of a key with their payloads', async () => {
    const { body } = await tenant.post(API.calls.search.path, { trace_function_key: 'answer' }).expect(200);
    expect(body.items).toHaveLength(1);
    expect(body.items[0]).toMatchObject({ span_id: root.id, input: ['question'], output: 'answer' });
  });

  it.each([
    [{}, 'trace_function_key must be a string, not absent'],
    [{ trace_function_key: 'k', limit: 201 }, 'limit must be a whole number from 1 to 200, not 201'],
    [{ trace_function_key: 'k', trace_ids: ['x'] }, 'trace_ids[0] must be a UUID in lower case'],
    [{ trace_function_key: 'k', trace_ids: 'x' }, 'trace_ids must be an array'],
    [{ trace_function_key: 'k', cursor: 'x' }, 'cursor does not belong to this list'],
  ])('refuses %j', async (search, detail) => {
    const { body } = await tenant.post(API.calls.search.path, search).expect(400);
    expect(body).toEqual({ detail: expect.stringContaining(detail), status_code: 400 });
  });
});
