import { type Change, formatTimestamp, newTraceId, parseTimestamp, type SpanRecord } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import { ManualClock } from './support/manual-clock.js';
import { span } from './support/records.js';
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

const UNTIL = '2026-01-31T12:00:00.000000Z';
const PERIOD = 'since=2026-01-30T12:00:00Z&until=2026-01-31T12:00:00Z';
const find = async (query = `${PERIOD}&against=period`) =>
  (await tenant.get(`${API.changes.find.path}?${query}`).expect(200)).body;

/** A call that started so many hours before the end of the period. */
const call = (hoursAgo: number, key: string, more: Partial<SpanRecord> = {}): SpanRecord =>
  span({
    trace_id: newTraceId(),
    trace_function_key: key,
    started_at: formatTimestamp((parseTimestamp(UNTIL) ?? 0) - hoursAgo * 3600e6),
    duration_ms: 100,
    ...more,
  });

const repeat = (times: number, make: (no: number) => SpanRecord): SpanRecord[] =>
  Array.from({ length: times }, (_, no) => make(no));

const failed = (name: string, message = 'no answer'): Partial<SpanRecord> => ({
  status: 'error',
  span_data: { error: { name, message } },
});

const newErrors = async (): Promise<string[]> =>
  (await find()).changes
    .filter(({ kind }: Change) => kind === 'new_error')
    .map(({ error }: Change) => error ?? '');

describe('GET changes', () => {
  it('compares a period with the one before: nothing got worse if both are equal', async () => {
    await tenant.store(
      ...repeat(48, (hour) => call(hour + 0.5, 'steady')),
      ...repeat(20, (no) => call(25 + no, 'flaky', failed('TimeoutError'))),
      ...repeat(20, (no) => call(1 + no, 'flaky', failed('TimeoutError'))),
    );
    const body = await find();
    expect(body).toMatchObject({
      against: 'period',
      current: { since: '2026-01-30T12:00:00.000000Z', until: UNTIL },
      baseline: { since: '2026-01-29T12:00:00.000000Z', until: '2026-01-30T12:00:00.000000Z' },
      waiting_batches: 0,
      changes: [],
    });
    expect(body.functions).toMatchObject([
      { trace_function_key: 'flaky', current: { calls: 20, errors: 20 }, baseline: { calls: 20 } },
      { trace_function_key: 'steady', current: { calls: 24 }, baseline: { calls: 24 } },
    ]);
  });

  it('compares whole days where the period is long, and counts each call once', async () => {
    await tenant.store(...repeat(16 * 24, (hour) => call(hour - 11.5, 'steady')));
    const body = await find('since=2026-01-24T09:30:00Z&until=2026-01-31T12:00:00Z&against=period');
    expect(body).toMatchObject({
      current: { since: '2026-01-24T00:00:00.000000Z', until: '2026-02-01T00:00:00.000000Z' },
      baseline: { since: '2026-01-16T00:00:00.000000Z', until: '2026-01-24T00:00:00.000000Z' },
      changes: [],
      functions: [{ current: { calls: 8 * 24 }, baseline: { calls: 8 * 24 } }],
    });
  });

  it('reports a new kind of error where it began, with its traces and the calls of both periods', async () => {
    const trace_id = newTraceId();
    const root = call(1, 'handle', {
      trace_id,
      status: 'error',
      span_data: { error: { name: 'LockError', message: 'x' } },
    });
    await tenant.store(
      ...repeat(30, (no) => call(25 + no / 2, 'post')),
      ...repeat(30, (no) => call(1 + no / 2, 'post')),
      ...repeat(30, (no) => call(25 + no / 2, 'handle')),
      root,
      call(1, 'post', { trace_id, parent_id: root.id, ...failed('LockError') }),
      ...repeat(6, (no) => call(2 + no, 'post', failed('LockError'))),
    );
    const { changes } = await find();
    expect(changes).toContainEqual({
      kind: 'new_error',
      trace_function_key: 'post',
      error: 'LockError',
      current: 7,
      baseline: 0,
      calls: 37,
      baseline_calls: 30,
    });
    expect(changes.map(({ trace_function_key: key }: { trace_function_key: string }) => key)).not.toContain(
      'handle',
    );
  });

  it('reports no kind of error that the baseline has, though more rarely', async () => {
    await tenant.store(
      ...repeat(30, (no) => call(25 + no / 2, 'post')),
      call(30, 'post', failed('LockError')),
      ...repeat(8, (no) => call(1 + no, 'post', failed('LockError'))),
    );
    const { changes } = await find();
    expect(changes.map(({ kind }: { kind: string }) => kind)).toEqual(['failures']);
  });

  it.each([
    ['is the oldest of many in the baseline', 40, failed('LockError')],
    ['may be older than the failed calls of the baseline that are read', 500, failed('LockError')],
    ['may be older than those, and is not', 500, {}],
  ])('reports no kind of error that %s', async (_, newer, oldest) => {
    await tenant.store(
      ...repeat(30, (no) => call(25 + no / 2, 'post')),
      call(47.5, 'post', oldest),
      ...repeat(newer, (no) => call(25 + no / 25, 'post', failed('TimeoutError'))),
      ...repeat(8, (no) => call(1 + no, 'post', failed('LockError'))),
    );
    expect(await newErrors()).toEqual([]);
  });

  it('reports a kind of error that none of the failed calls of the baseline has', async () => {
    await tenant.store(
      ...repeat(499, (no) => call(25 + no / 25, 'post', failed('TimeoutError'))),
      ...repeat(8, (no) => call(1 + no, 'post', failed('LockError'))),
    );
    expect(await newErrors()).toEqual(['LockError']);
  });

  it('reports costs and durations with their ratio, without calls of test runs', async () => {
    const usage = (tokens: number) => ({
      usage: { model: 'gpt-4o', provider: 'openai', input_tokens: tokens, output_tokens: 10 },
    });
    const asked = (hoursAgo: number, tokens: number, ms: number) =>
      call(hoursAgo, 'ask', { type: 'llm', span_data: usage(tokens), duration_ms: ms });
    await tenant.store(
      ...repeat(240, (no) => asked(24.2 + no / 10.1, 1000 + (no % 7), 100 + (no % 5))),
      ...repeat(240, (no) => asked(0.1 + no / 10.1, 3100 + (no % 7), no % 5 === 0 ? 900 : 100)),
      ...repeat(240, (no) => call(1 + no / 20, 'ask', { test_run_id: newTraceId(), ...failed('TestError') })),
    );
    const { changes, functions } = await find();
    expect(changes).toMatchObject([
      { kind: 'duration', ratio: expect.closeTo(8.7, 0), calls: 240, baseline_calls: 240 },
      { kind: 'cost', ratio: expect.closeTo(3, 0) },
    ]);
    expect(functions[0].current.own_cost_usd).toBeCloseTo(functions[0].current.cost_usd, 9);
  });

  it('compares the latest release with the one before, also while both are called', async () => {
    await tenant.store(
      ...repeat(40, (no) => call(1 + no / 2, 'post', { release: '1.0' })),
      ...repeat(10, (no) =>
        call(0.5 + no / 4, 'post', { release: '1.1', ...failed('TypeError', 'x is undefined') }),
      ),
      ...repeat(10, (no) => call(0.5 + no, 'post')),
    );
    const body = await find(PERIOD);
    expect(body).toMatchObject({
      against: 'release',
      current: { since: '2026-01-31T09:00:00.000000Z', until: UNTIL, release: '1.1' },
      baseline: { release: '1.0', until: UNTIL },
      changes: [{ kind: 'new_error', error: 'TypeError', current: 10, calls: 10, baseline_calls: 40 }],
    });
  });

  it('compares periods if no other release began', async () => {
    await tenant.store(...repeat(5, (no) => call(1 + no, 'post', { release: '1.0' })));
    expect(await find(PERIOD)).toMatchObject({ against: 'period', changes: [] });
    expect(await find(PERIOD)).not.toHaveProperty('releases_unread');
  });

  it('shows an account only its own calls', async () => {
    await tenant.store(call(1, 'post'));
    const stranger = await service.addTenant();
    const { body } = await stranger.get(`${API.changes.find.path}?${PERIOD}`).expect(200);
    expect(body).toMatchObject({ changes: [], functions: [] });
  });

  it.each([
    ['since=2026-01-31T12:00:00Z&until=2026-01-30T12:00:00Z', 'since must be before until'],
    ['since=2025-01-31T12:00:00Z&until=2026-01-30T12:00:00Z', 'since must be at most 31 days before until'],
    ['against=month', 'against must be one of release, period'],
  ])('refuses %s', async (query, detail) => {
    const { body } = await tenant.get(`${API.changes.find.path}?${query}`).expect(400);
    expect(body.detail).toContain(detail);
  });
});
