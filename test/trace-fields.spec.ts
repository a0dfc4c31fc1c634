import { startCollector } from '@dacapo/collector';
import type { DeletionRecord, FacetValues, RecordedCallTree, TraceDetail, TracePage } from '@dacapo/protocol';
import { getCurrentSpan, getCurrentTrace, type SelectionOptions, Tracer } from '@dacapo/tracer';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { removeFolder } from './support/remove-folder.js';

describe('users, tags, environments, releases, kinds and levels, from the tracer to the collector', () => {
  let folder: string;
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let tracer: Tracer;

  const ask = async <T>(path: string, body?: object): Promise<T> => {
    const headers = { 'api-key': collector.apiKey!, 'content-type': 'application/json' };
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    return (await (await fetch(`${collector.url}/api/v1${path}`, { ...init, headers })).json()) as T;
  };
  const findUsers = async (query: string): Promise<unknown[]> =>
    (await ask<TracePage>(`/traces?${query}`)).items.map(({ user_id: user }) => user).toSorted();

  const find = (word: string): string => `found ${word}`;
  const version = (release: string): Tracer =>
    new Tracer({ apiKey: collector.apiKey!, serviceUrl: collector.url, environment: 'staging', release });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dacapo-fields-'));
    collector = await startCollector({ port: 0, dataDir: join(folder, 'data') });
    tracer = version('1.0');
    const search = tracer.withSpan('search', { kind: 'retrieval', level: 'debug' }, find);
    const answer = tracer.withSpan('answer', async (user: string) => {
      getCurrentTrace().setUserId(user);
      getCurrentTrace().setTags(user === 'ann' ? ['beta', 'vip'] : ['beta']);
      if (user === 'bob') getCurrentSpan().setLevel('warn');
      await delay(1);
      return search(user);
    });
    await Promise.all(['ann', 'bob', 'cy', 'ann'].map((user) => answer(user)));
    const newer = version('1.1');
    newer.startSpan('answer', { input: ['dee'], kind: 'tool' }).end({ output: 'by hand' });
    await Promise.all([tracer.flush(), newer.shutdown()]);
  });

  afterAll(async () => {
    await tracer.shutdown();
    await collector.close();
    await removeFolder(folder);
  });

  it.each([
    ['user_id=ann', ['ann', 'ann']],
    ['tags=beta&tags=vip', ['ann', 'ann']],
    ['environment=staging&release=1.0', ['ann', 'ann', 'bob', 'cy']],
    ['environment=production', []],
    ['release=1.1&kind=tool', [undefined]],
    ['kind=retrieval&level=debug&user_id=cy', ['cy']],
    ['trace_function_key=answer&level=warn', ['bob']],
    ['trace_function_key=answer&kind=retrieval', []],
  ])('finds traces by %s', async (query, users) => {
    expect(await findUsers(query)).toEqual(users);
  });

  it('shows the fields of a trace and of its spans', async () => {
    const [{ id } = { id: '' }] = (await ask<TracePage>('/traces?user_id=bob')).items;
    const { spans, ...trace } = await ask<TraceDetail>(`/traces/${id}`);
    expect(trace).toMatchObject({ user_id: 'bob', tags: ['beta'], environment: 'staging', release: '1.0' });
    expect(spans).toMatchObject([{ level: 'warn' }, { kind: 'retrieval', level: 'debug' }]);
  });

  it('refuses invalid conditions by name', async () => {
    for (const query of ['kind=planner', 'level=fatal', 'tags=', 'user=ann'])
      expect(await ask(`/traces?${query}`)).toMatchObject({ status_code: 400 });
  });

  it('suggests values', async () => {
    const of = async (facet: string): Promise<string[]> =>
      (await ask<FacetValues>(`/facets?of=${facet}`)).items.toSorted();
    expect(await of('user_id')).toEqual(['ann', 'bob', 'cy']);
    expect(await of('release')).toEqual(['1.0', '1.1']);
    expect(await of('tag')).toEqual(['beta', 'vip']);
  });

  it('searches and replays calls by them, and returns them', async () => {
    const search = { trace_function_key: 'answer', user_id: 'ann', tags: ['vip'] };
    const { items } = await ask<{ items: RecordedCallTree[] }>('/calls/search', search);
    expect(items).toHaveLength(2);
    expect(items[0]).toMatchObject({ trace: { user_id: 'ann', tags: ['beta', 'vip'], release: '1.0' } });
    const answer = tracer.withSpan('answer', (user: string) => user);
    const selected = async (options: SelectionOptions) =>
      (await tracer.replay('answer', answer, options)).items.map(({ input }) => input[0]).toSorted();
    expect(await selected({ userId: 'ann' })).toEqual(['ann', 'ann']);
    expect(await selected({ tags: ['beta'], environment: 'staging', level: 'warn' })).toEqual(['bob']);
    expect(await selected({ kind: 'tool', release: '1.1' })).toEqual(['dee']);
    await expect(selected({ kind: 'planner' as never })).rejects.toThrow('kind must be one of');
  });

  it('deletes all data of a user by the id', async () => {
    const { id } = await ask<DeletionRecord>('/deletions', { user_id: 'ann' });
    let deletion: DeletionRecord;
    do {
      await delay(20);
      deletion = await ask<DeletionRecord>(`/deletions/${id}`);
    } while (deletion.state !== 'done');
    expect(deletion.scope.user_id).not.toBe('ann');
    expect(await findUsers('user_id=ann')).toEqual([]);
    expect((await ask<FacetValues>('/facets?of=user_id')).items.toSorted()).toEqual(['bob', 'cy']);
    const runs = JSON.stringify(await ask('/test-runs'));
    expect(runs).not.toContain('"ann"');
  });
});
