import { newTraceId } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import { ManualClock } from './support/manual-clock.js';
import { span, unfinished } from './support/records.js';
import { Service, type Tenant } from './support/service.js';

const clock = new ManualClock();
let service: Service;
let tenant: Tenant;

beforeAll(async () => {
  service = await Service.start({ clock });
});

beforeEach(async () => {
  tenant = await service.addTenant();
});

afterAll(() => service.close());

const AT = '2026-01-31T12:30:00.000000Z';
const RANGE = 'since=2026-01-31T12:10:00Z&until=2026-01-31T12:40:00Z';
const read = async (query: string) =>
  (await tenant.get(`${API.metrics.read.path}?${query}`).expect(200)).body;

describe('GET metrics', () => {
  it('return calls, errors, percentiles, tokens and cost by key, for full hours', async () => {
    const usage = { model: 'gpt-4o', provider: 'openai', input_tokens: 1_000_000, output_tokens: 100_000 };
    const at = { started_at: AT, duration_ms: 1000 };
    await tenant.store(
      span({ ...at, span_data: { usage } }),
      span({ ...at, status: 'error', span_data: { usage: { ...usage, model: 'nobody-knows' } } }),
      unfinished(span({ ...at, trace_function_key: 'waiting', type: 'agent' })),
    );
    const body = await read(RANGE);
    expect(body).toEqual({
      since: '2026-01-31T12:00:00.000000Z',
      until: '2026-01-31T13:00:00.000000Z',
      relative_error: 0.01,
      waiting_batches: 0,
      items: [
        {
          trace_function_key: 'answer',
          calls: 2,
          errors: 1,
          model_calls: 2,
          unpriced_calls: 1,
          own_model_calls: 2,
          own_cost_usd: 3.5,
          own_unpriced_calls: 1,
          input_tokens: 2e6,
          output_tokens: 2e5,
          cost_usd: 3.5,
          p50_ms: expect.closeTo(1000, -1.01),
          p95_ms: expect.closeTo(1000, -1.01),
        },
        {
          trace_function_key: 'waiting',
          calls: 1,
          errors: 0,
          model_calls: 0,
          input_tokens: 0,
          output_tokens: 0,
        },
      ],
    });
    const traces = await read(`${RANGE}&of=traces&bucket=hour`);
    expect(traces.items).toMatchObject([{ at: '2026-01-31T12:00:00.000000Z', calls: 3, cost_usd: 3.5 }]);
    expect(traces.items[0]).not.toHaveProperty('trace_function_key');
  });

  it('cover the last seven days by default', async () => {
    clock.advanceDays(4);
    await tenant.store(span({ started_at: AT }), span({ started_at: '2026-01-20T00:00:00.000000Z' }));
    expect((await read('')).items).toMatchObject([{ calls: 1 }]);
    expect((await read('bucket=day')).since).toBe('2026-01-29T00:00:00.000000Z');
  });

  it('group by trace facts, largest groups first, with the number of other groups', async () => {
    const traces = Array.from({ length: 105 }, (_, user) =>
      Array.from({ length: user === 7 ? 3 : 1 }, () =>
        span({ trace_id: newTraceId(), started_at: AT, user_id: `user-${String(user).padStart(3, '0')}` }),
      ),
    ).flat();
    await tenant.store(...traces);
    const { items, more_groups } = await read(`${RANGE}&group_by=user_id`);
    expect(items).toHaveLength(100);
    expect(items[0]).toMatchObject({ group: 'user-007', calls: 3 });
    expect(items[1]).toMatchObject({ group: 'user-000', calls: 1 });
    expect(more_groups).toBe(5);
    expect((await read(`${RANGE}&group_by=environment`)).items).toMatchObject([{ group: null, calls: 107 }]);
    expect(await read(`${RANGE}&group_by=environment`)).not.toHaveProperty('more_groups');
  });

  it.each([
    ['group_by=model', /^group_by must be one of kind, level, user_id, tags, environment, release/],
    ['group_by=user_id&of=keys', 'of must be traces if group_by is given without a trace_function_key'],
    ['group_by=kind&of=traces', 'of must be absent if group_by is kind, which counts spans'],
    ['since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z', 'since must be before until'],
    [
      'since=2025-01-02T00:00:00Z&until=2026-01-01T00:00:00Z&bucket=hour',
      /^bucket must not divide the period into more than 750 rows/,
    ],
    ['of=traces&trace_function_key=a', 'of must be keys if a key is given'],
    ['bucket=week', /^bucket must be one of hour, day/],
    ['key=a', /Unknown query parameter "key"/],
  ])('refuses %s', async (query, detail) => {
    const { body } = await tenant.get(`${API.metrics.read.path}?${query}`).expect(400);
    if (typeof detail === 'string') expect(body.detail).toBe(detail);
    else expect(body.detail).toMatch(detail);
  });

  it('has no part of another account', async () => {
    await tenant.store(span({ started_at: AT }));
    const stranger = await service.addTenant();
    const { body } = await stranger.get(`${API.metrics.read.path}?${RANGE}`).expect(200);
    expect(body.items).toEqual([]);
  });
});

describe('a list of traces', () => {
  it('report the usage of the model calls of each', async () => {
    await tenant.store(
      span({ span_data: { usage: { model: 'gpt-4o', input_tokens: 10, output_tokens: 1 } } }),
    );
    await read('');
    const { body } = await tenant.get(API.traces.list.path).expect(200);
    expect(body.items).toMatchObject([
      { usage: { model_calls: 1, input_tokens: 10, output_tokens: 1, cost_usd: expect.closeTo(3.5e-5, 12) } },
    ]);
  });
});
