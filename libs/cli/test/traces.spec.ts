import { newTraceId } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import { run } from '../src/run.js';
import { CapturedIo } from './captured-io.js';
import { recordedSpan } from './recorded-span.js';
import { type Account, openAccount } from './running-service.js';

describe('dacapo traces', () => {
  let account: Account;
  beforeEach(async () => {
    account = await openAccount();
  });

  const ingest = async (...spans: object[]): Promise<void> => {
    const headers = { 'api-key': account.apiKey, 'content-type': 'application/x-ndjson' };
    const body = spans.map((span) => JSON.stringify({ span })).join('\n');
    const answer = await fetch(`${account.url}${API.ingest.send.path}`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
  };

  /** Stores a trace of one span, with other facts of it. */
  const store = async (key: string, facts: object = {}): Promise<string> => {
    const trace_id = newTraceId();
    await ingest(recordedSpan(trace_id, key, facts));
    return trace_id;
  };

  it('lists the newest first, and those that match a line of conditions', async () => {
    await store('old', { started_at: '2026-01-01T00:00:00.000000Z' });
    const failed = await store('broken', { status: 'error' });
    const { out } = await account.run('traces', 'list');
    expect(out).toMatch(
      /^ID +STARTED +STATUS.*\n\S+ +2026-01-31T12:30:00 +error +100 ms .* broken\n\S+ .* old\n$/,
    );
    expect((await account.json('traces', 'list', 'status:error', 'duration<1s')).items).toMatchObject([
      { id: failed },
    ]);
    expect((await account.json('traces', 'list', '--status', 'error')).items).toHaveLength(1);
    expect((await account.run('traces', 'list', 'status:cancelled')).out).toBe('No trace matches.\n');
  });

  it('names the nearest condition for a misspelt one, with exit code 2', async () => {
    const { exitCode, err } = await account.run('traces', 'list', 'staus:error');
    expect(exitCode).toBe(2);
    expect(err).toMatch(/staus.*status/);
  });

  it('shows a trace as a tree, by the beginning of its id', async () => {
    const id = newTraceId();
    const root = recordedSpan(id, 'handle', { type: 'agent' });
    const child = recordedSpan(id, 'classify', {
      parent_id: root.id,
      started_at: '2026-01-31T12:30:00.050000Z',
    });
    const leaf = recordedSpan(id, 'look-up', { parent_id: child.id, duration_ms: 10, status: 'error' });
    const last = recordedSpan(id, 'answer', {
      parent_id: root.id,
      started_at: '2026-01-31T12:30:00.090000Z',
    });
    await ingest(root, child, leaf, last);
    const { out } = await account.run('traces', 'show', id.slice(0, 13));
    expect(out.startsWith(`handle  ${id}\n`)).toBe(true);
    expect(out).toMatch(
      /\n {2}handle +agent .*\n {2}├─ classify +function .*\n {2}│ {2}└─ look-up .* error\n {2}└─ answer /,
    );
    expect((await account.json('traces', 'show', id)).spans).toHaveLength(4);
  });

  it('lists the candidates for an ambiguous beginning', async () => {
    const ids = ['01234567-0000-7000-8000-000000000001', '01234567-0000-7000-8000-000000000002'];
    for (const trace_id of ids) await ingest(recordedSpan(trace_id, 'twin'));
    const { exitCode, err } = await account.run('traces', 'show', '01234567');
    expect(exitCode).toBe(2);
    expect(err).toContain('"01234567" matches 2 traces.');
    for (const id of ids) expect(err).toContain(id);
  });

  it('reports an unknown trace', async () => {
    const { exitCode, err } = await account.run('traces', 'show', newTraceId());
    expect(exitCode).toBe(1);
    expect(err).toContain('404');
  });

  it('prints traces as they end, once each, until Ctrl+C', async () => {
    await store('before', { started_at: new Date().toISOString() });
    const io = new CapturedIo({ TRACER_SERVICE_URL: account.url, TRACER_API_KEY: account.apiKey });
    const ended = run(['traces', 'tail', 'status:error', '--json'], io);
    const printed = io.nextOutput();
    const stored = keepStoring('broken', { status: 'error' });
    await Promise.race([printed, ended]);
    const ids = await stored.stop();
    io.stop();
    expect(await ended).toBe(0);
    const lines = io.out
      .trim()
      .split('\n')
      .map((line): { id: string; name: string } => JSON.parse(line));
    expect(lines.length).toBeGreaterThan(0);
    expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
    expect(lines.every(({ id, name }) => name === 'broken' && ids.includes(id))).toBe(true);
  });

  it('prints a long trace when it ends, behind more than a page of newer ones', async () => {
    const now = new Date().toISOString();
    const id = newTraceId();
    const long = recordedSpan(id, 'long', { started_at: new Date(Date.now() - 60_000).toISOString() });
    await ingest({ ...long, status: 'unfinished', duration_ms: undefined });
    await ingest(
      ...Array.from({ length: 201 }, () => recordedSpan(newTraceId(), 'short', { started_at: now })),
    );
    const io = new CapturedIo({ TRACER_SERVICE_URL: account.url, TRACER_API_KEY: account.apiKey });
    const ended = run(['traces', 'tail'], io);
    const printed = io.nextOutput();
    const stored = keepStoring('short', {});
    await printed;
    const last = (await stored.stop()).at(-1) ?? '';
    while (!io.out.includes(last)) await io.nextOutput();
    await ingest(long);
    while (!io.out.includes(id)) await io.nextOutput();
    io.stop();
    expect(await ended).toBe(0);
  });

  /** Stores one trace after another, because a command does not report when it began to watch. */
  function keepStoring(key: string, facts: object): { stop(): Promise<string[]> } {
    const stopped = new AbortController();
    const ids: string[] = [];
    const done = (async () => {
      while (!stopped.signal.aborted)
        ids.push(await store(key, { started_at: new Date().toISOString(), ...facts }));
    })();
    return {
      stop: async () => {
        stopped.abort();
        await done;
        return ids;
      },
    };
  }
});
