import { newSpanId, newTraceId } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import { run } from '../src/run.js';
import { CapturedIo } from './captured-io.js';
import { type RunningService, startService } from './running-service.js';

const DAY_MS = 24 * 3600 * 1000;

describe('commands that delete', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  /** Stores a trace of one span; gives its id. */
  const store = async (span: object = {}, ageDays = 0): Promise<string> => {
    const started_at = new Date(Date.now() - ageDays * DAY_MS).toISOString();
    const of = { id: newSpanId(), trace_id: newTraceId(), trace_function_key: 'answer', name: 'answer' };
    const record = { ...of, type: 'llm', status: 'ok', started_at, span_data: {}, ...span };
    const headers = { 'api-key': service.apiKey, 'content-type': 'application/x-ndjson' };
    const init = { method: 'POST', headers, body: JSON.stringify({ span: record }) };
    expect((await fetch(`${service.url}${API.ingest.send.path}`, init)).status).toBe(200);
    return of.trace_id;
  };
  /** Those of these traces that are still there. */
  const left = async (...ids: string[]): Promise<string[]> => {
    const answer = await fetch(service.url + API.traces.list.path, {
      headers: { 'api-key': service.apiKey },
    });
    const { items } = (await answer.json()) as { items: { id: string }[] };
    const stored = new Set(items.map(({ id }) => id));
    return ids.filter((id) => stored.has(id));
  };
  /** With a person who answers. */
  const runDelete = async (answer: boolean | undefined, ...argv: string[]) => {
    const io = new CapturedIo({ TRACER_SERVICE_URL: service.url, TRACER_API_KEY: service.apiKey });
    io.answer = answer;
    return { exitCode: await run(argv, io), io };
  };

  describe('dacapo delete', () => {
    it('shows what it would delete, asks, and deletes only after a yes', async () => {
      const [deleted, kept] = [await store({ session_id: 'ann' }), await store()];
      const dry = await service.run('delete', '--session', 'ann', '--dry-run');
      expect(dry.out).toMatch(/^It would delete 1 trace with 1 span, with all copies: /);
      const no = await runDelete(false, 'delete', '--session', 'ann');
      expect(no.exitCode).toBe(2);
      expect(no.io.question).toMatch(/^This deletes 1 trace with 1 span, .+\. Go on\? \[y\/N\] $/);
      expect(no.io.err).toContain('Nothing was done.');
      expect(await left(deleted, kept)).toEqual([deleted, kept]);
      const yes = await runDelete(true, 'delete', '--session', 'ann');
      expect(yes.io.out).toBe('Deleted 1 trace, 1 span.\n');
      expect(await left(deleted, kept)).toEqual([kept]);
    });

    it('deletes the records of a user', async () => {
      const [deleted, kept] = [await store({ user_id: 'ann@example.com' }), await store({ user_id: 'bob' })];
      const yes = await runDelete(true, 'delete', '--user', 'ann@example.com');
      expect(yes.io.out).toBe('Deleted 1 trace, 1 span.\n');
      expect(await left(deleted, kept)).toEqual([kept]);
    });

    it('deletes nothing without a terminal unless --yes is passed', async () => {
      const [deleted, kept] = [await store(), await store()];
      const refused = await runDelete(undefined, 'delete', '--trace', deleted);
      expect(refused.exitCode).toBe(2);
      expect(refused.io.err).toMatch(
        /^This deletes 1 trace .+ Pass --yes to confirm\. \[CLI_NOT_CONFIRMED\]/,
      );
      const record = await service.json('delete', '--trace', deleted, '--trace', newTraceId(), '--yes');
      expect(record).toMatchObject({ state: 'done', counts: { traces: 1, spans: 1 } });
      expect(await left(deleted, kept)).toEqual([kept]);
    });

    it('combines key and age, and reports a deletion that it does not wait for', async () => {
      const old = await store({ trace_function_key: 'aged' }, 40);
      const others = [await store({ trace_function_key: 'aged' }, 20), await store({}, 40)];
      const words = ['delete', '--key', 'aged', '--before', '30d', '--keep-copies', '--yes'];
      const { state, scope, keep_copies } = await service.json(...words, '--no-wait');
      expect([state, scope.trace_function_key, keep_copies]).toEqual(['waiting', 'aged', true]);
      const { counts } = await service.json(...words);
      expect(counts.traces).toBeLessThanOrEqual(1);
      expect(await left(old, ...others)).toEqual(others);
    });

    it('requires a selection', async () => {
      expect(await service.run('delete', '--yes')).toMatchObject({ exitCode: 2 });
      expect((await service.run('delete', '--keep-copies')).err).toContain('Pass what to delete: --trace');
      expect((await service.run('delete', '--before', 'last week')).err).toContain('Pass a time such as');
      expect((await service.run('delete', '--trace', 'x', '--yes')).err).toContain('must be a UUID');
      const both = await service.run('delete', '--account', '--key', 'k', '--yes');
      expect(both).toMatchObject({ exitCode: 2, err: expect.stringContaining('no condition') });
    });

    it('deletes the account once its name was shown', async () => {
      const own = await startService();
      const dry = await own.json('delete', '--account', '--dry-run');
      expect(dry).toEqual({ account: { id: expect.any(String), name: expect.any(String) } });
      const io = new CapturedIo({ TRACER_SERVICE_URL: own.url, TRACER_API_KEY: own.apiKey });
      io.answer = true;
      expect(await run(['delete', '--account'], io)).toBe(0);
      expect(io.question).toContain(`This deletes the account ${dry.account.name} (${dry.account.id})`);
      expect((await own.run('keys', 'list')).err).toContain('Its account was deleted');
      await own.close();
    });
  });

  describe('dacapo retention', () => {
    afterEach(async () => {
      await service.json('retention', 'remove');
    });

    it('shows, sets and removes rules of the account and of keys', async () => {
      expect(await service.json('retention', 'show')).toEqual({ keys: [] });
      expect((await service.run('retention', 'show')).out).toMatch(/\n\(any\) +for ever\n$/);
      await service.json('retention', 'set', '30', '--yes');
      const { out } = await service.run('retention', 'set', '1', '--key', 'short');
      expect(out).toMatch(/^TRACES OF +ARE KEPT\nshort +1 day\n\(any other\) +30 days\n$/);
      const keys = [{ trace_function_key: 'short', days: 1 }];
      expect(await service.json('retention', 'remove')).toEqual({ keys });
      expect(await service.json('retention', 'remove', '--key', 'short')).toEqual({ keys: [] });
      expect(await service.run('retention', 'set', '0')).toMatchObject({ exitCode: 2 });
      expect(await service.run('retention', 'set', '40000')).toMatchObject({ exitCode: 1 });
    });

    it('asks before it sets a rule that would delete something', async () => {
      await store({}, 31);
      const no = await runDelete(false, 'retention', 'set', '30');
      expect(no.exitCode).toBe(2);
      expect(no.io.question).toMatch(
        /^Within an hour this deletes \d+ of \d+ traces: those older than 30 days\. /,
      );
      const dry = await service.json('retention', 'set', '30', '--dry-run');
      expect(dry.traces).toBeGreaterThan(0);
      expect(dry.of_traces).toBeGreaterThanOrEqual(dry.traces);
      expect(await service.json('retention', 'show')).toEqual({ keys: [] });
      expect((await runDelete(true, 'retention', 'set', '30')).exitCode).toBe(0);
      expect(await service.json('retention', 'set', '7', '--yes')).toEqual({ days: 7, keys: [] });
    });
  });
});
