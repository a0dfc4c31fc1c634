import { newTraceId } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import { recordedSpan } from './recorded-span.js';
import { type RunningService, startService } from './running-service.js';

describe('dacapo metrics', () => {
  let service: RunningService;
  beforeEach(async () => {
    service = await startService();
  });
  afterEach(() => service.close());

  const store = async (usage: object, facts: object = {}): Promise<void> => {
    const span = recordedSpan(newTraceId(), 'answer', {
      type: 'llm',
      duration_ms: 1000,
      span_data: { usage },
      ...facts,
    });
    const headers = { 'api-key': service.apiKey, 'content-type': 'application/x-ndjson' };
    const init = { method: 'POST', headers, body: JSON.stringify({ span }) };
    expect((await fetch(`${service.url}${API.ingest.send.path}`, init)).status).toBe(200);
  };
  const range = ['--since', '2026-01-31T00:00:00Z', '--until', '2026-02-01T00:00:00Z'];

  it('shows calls, durations, tokens and cost by key, and by time on request', async () => {
    await store({ model: 'gpt-4o', input_tokens: 1_000_000, output_tokens: 100_000 });
    await store({ model: 'nobody-knows', input_tokens: 5 });
    const { items } = await service.json('metrics', ...range);
    expect(items).toMatchObject([
      { trace_function_key: 'answer', calls: 2, cost_usd: 3.5, unpriced_calls: 1 },
    ]);
    expect((await service.run('metrics', ...range)).out).toMatch(
      /^KEY +CALLS.*\nanswer +2 +0 +\d+ ms +\d+ ms +1000005 +100000 +\$3\.5 \(1 without a price\)\n$/,
    );
    expect((await service.run('metrics', ...range, '--traces', '--bucket', 'day')).out).toMatch(
      /^TIME .*\n2026-01-31T00:00 +\(traces\) +2 /,
    );
    expect((await service.run('metrics', '--since', '7d', '--until', '1h')).out).toMatch(/^No calls from /);
    expect((await service.run('metrics', ...range, '--key', 'other')).out).toMatch(
      /^No calls from 2026-01-31T00:00/,
    );
  });

  it('counts only traces that match', async () => {
    await store({}, { user_id: 'ann', tags: ['a', 'b'], release: '1', level: 'warn' });
    await store({}, { user_id: 'ann', kind: 'tool', environment: 'ci' });
    await store({}, {});
    const calls = async (...words: string[]): Promise<unknown> => {
      const { items } = (await service.json('metrics', ...range, ...words)) as { items: { calls: number }[] };
      return items.map((item) => item.calls);
    };
    expect(await calls()).toEqual([3]);
    expect(await calls('--user', 'ann')).toEqual([2]);
    expect(await calls('--user', 'ann', '--kind', 'tool', '--environment', 'ci')).toEqual([1]);
    expect(await calls('--tag', 'a', '--tag', 'b', '--level', 'warn')).toEqual([1]);
    expect(await calls('--release', '1', '--group-by', 'user_id')).toEqual([1]);
    expect(await calls('--user', 'bob')).toEqual([]);
    const { err, exitCode } = await service.run('metrics', ...range, '--level', 'loud');
    expect([exitCode, err]).toEqual([2, expect.stringContaining('debug, info, warn, error')]);
  });

  it('shows a row for each value of a field', async () => {
    await store({ model: 'gpt-4o', input_tokens: 1000 }, { release: '1', kind: 'tool' });
    await store({ model: 'gpt-4o', input_tokens: 500 }, { release: '2' });
    await store({ model: 'gpt-4o', input_tokens: 500 }, { release: '2' });
    expect((await service.json('metrics', ...range, '--group-by', 'release')).items).toMatchObject([
      { group: '2', calls: 2, input_tokens: 1000 },
      { group: '1', calls: 1, input_tokens: 1000 },
    ]);
    expect((await service.run('metrics', ...range, '--group-by', 'kind', '--key', 'answer')).out).toMatch(
      /^KIND +KEY +CALLS.*\n\(none\) +answer +2 .*\ntool +answer +1 /,
    );
    expect((await service.run('metrics', ...range, '--group-by', 'level')).out).toMatch(
      /\n\(none\) +\(spans\) +3 /,
    );
  });
});
