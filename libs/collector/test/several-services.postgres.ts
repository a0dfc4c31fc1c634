import type { PostgresAddress } from '@dacapo/collector';
/** Two services on one PostgreSQL: what one does, the other knows. */
import { newTraceId, type SpanRecord } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { setTimeout as sleep } from 'node:timers/promises';
import { AccountService } from '../src/accounts/account-service.js';
import { DeletionRunner } from '../src/deletions/deletion-runner.js';
import { RetentionService } from '../src/deletions/retention-service.js';
import { Embeddings } from '../src/indexes/embeddings/embeddings.js';
import { Locks } from '../src/storage/coordination/locks.js';
import { SpanStore } from '../src/storage/ports/span-store.js';
import { expectLateChildrenAttached } from './support/late-children.js';
import { findText, OwnPostgresServer, queryDatabase } from './support/postgres-server.js';
import { span, spansToNdjson, startedAt } from './support/records.js';
import { Service, type Tenant, createTenant } from './support/service.js';

const RECEIVED_AT = '2026-06-01T00:00:00.000000Z';

describe('two services on one PostgreSQL', () => {
  let server: OwnPostgresServer;
  let address: PostgresAddress;
  let services: Service[];
  let tenants: Tenant[];

  beforeAll(async () => {
    server = await OwnPostgresServer.start();
  });

  afterAll(() => server.stop());

  beforeEach(async () => {
    address = await server.createDatabase();
    services = await Promise.all([1, 2].map(() => Service.start({ storage: address })));
    const first = await services[0]!.addTenant();
    tenants = services.map(({ url }) => createTenant(url, first.accountId, first.apiKey));
  });

  afterEach(async () => {
    for (const service of services) await service.close();
  });

  const idle = () => Promise.all(services.map(({ app }) => app.get(DeletionRunner).idle()));
  /** Ends the connection of whoever has the lock. @returns how many had it */
  const loseLock = async (name: string): Promise<number> => {
    const sql = `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted
      AND (classid::bigint << 32) | objid::bigint = hashtextextended($1, 2)`;
    return (await queryDatabase(address, sql, [name])).length;
  };
  const storeOf = (n: number) => services[n]!.app.get(SpanStore);

  it('attach a late child of skipped spans to its nearest stored ancestor', async () => {
    await expectLateChildrenAttached(tenants[0]!, () => Promise.resolve(tenants[1]!));
  });

  it('make one first account between them', async () => {
    const fresh = await server.createDatabase();
    const started = await Promise.all([1, 2, 3].map(() => Service.start({ storage: fresh })));
    const made = await Promise.all(started.map(({ app }) => app.get(AccountService).ensureFirst()));
    expect(new Set(made.map(({ account }) => account.id)).size).toBe(1);
    expect(made.filter(({ apiKey }) => apiKey !== undefined)).toHaveLength(1);
    for (const one of started) await one.close();
  });

  it('store the spans of one trace side by side, each once, with right counts', async () => {
    const root = span({ session_id: 's' });
    const inside = Array.from({ length: 200 }, (_, n) =>
      span({ trace_id: root.trace_id, parent_id: root.id, started_at: startedAt(n % 60) }),
    );
    const { accountId } = tenants[0]!;
    const batches = Array.from({ length: 20 }, (_, n) => [root, ...inside.slice(n * 10, n * 10 + 10)]);
    const outcomes = await Promise.all(
      // Each batch is sent to both, as by a client that retries.
      batches.flatMap((spans, n) =>
        [0, 1].map((of) =>
          storeOf(of).ingest(accountId, { batchId: `b-${n}`, spans, traces: [], receivedAt: RECEIVED_AT }),
        ),
      ),
    );
    expect(outcomes.filter(({ duplicate }) => duplicate)).toHaveLength(20);
    const trace = await storeOf(1).findTrace(accountId, root.trace_id);
    expect(trace).toMatchObject({ span_count: 201, name: root.name });
    const [key] = await storeOf(0).listTraceFunctionKeys(accountId);
    expect(key).toMatchObject({ span_count: 201 });
    const { rows } = await storeOf(1).readMetrics(accountId, {
      sinceUs: 0,
      untilUs: Number.MAX_SAFE_INTEGER,
      replays: 'exclude',
      traceFunctionKey: 'answer',
    });
    expect(rows.map(({ tally }) => tally.calls)).toEqual([201]);
    const { sessions } = await storeOf(0).listSessions(accountId, {}, { limit: 9 });
    expect(sessions).toMatchObject([{ session_id: 's', trace_count: 1 }]);
  });

  it('store nothing again of what the other deletes meanwhile', async () => {
    const [here, there] = tenants;
    const sessions = Array.from({ length: 10 }, (_, n) => `s-${n}`);
    const make = (session_id: string): SpanRecord => span({ session_id });
    await here!.store(...sessions.map(make));
    const sending = sessions.map(async (session_id) => {
      for (let n = 0; n < 10; n++) await there!.ingest(spansToNdjson([make(session_id)])).expect(200);
    });
    for (const session_id of sessions)
      await here!.post(API.deletions.create.path, { session_id }).expect(201);
    await Promise.all(sending);
    await idle();
    // All was recorded before the deletions.
    const { body: late } = await there!.ingest(spansToNdjson(sessions.map(make))).expect(200);
    expect(late).toMatchObject({ dropped: sessions.length });
    for (const n of [0, 1]) {
      const { traces } = await storeOf(n).listTraces(here!.accountId, {}, { limit: 9 });
      expect(traces).toEqual([]);
    }
    const { body } = await there!.get(API.deletions.list.path).expect(200);
    expect(body.items.map(({ state }: { state: string }) => state)).toEqual(sessions.map(() => 'done'));
  });

  it('erase sessions that the other stores, copies and replays meanwhile', async () => {
    const [here, there] = tenants;
    const call = { trace_function_key: 'request' };
    const sessions = Array.from({ length: 6 }, (_, n) => `zq7gone-${n}`);
    const make = (session_id: string): SpanRecord =>
      span({ ...call, session_id, span_data: { input: [session_id], output: `said ${session_id}` } });
    const kept = make('kept');
    const stored = new Map(sessions.map((session_id) => [session_id, make(session_id)]));
    await here!.store(kept, ...stored.values());
    await here!.post(API.datasets.create.path, { name: 'copies' }).expect(201);
    const versions = routePath(API.datasets.addVersion, { name: 'copies' });
    const copyAndReplay = async (source: SpanRecord): Promise<void> => {
      for (let n = 0; n < 3; n++) {
        await there!.ingest(spansToNdjson([make(source.session_id ?? '')])).expect(200);
        const selection = { trace_ids: [source.trace_id] };
        await there!.post(versions, { from_calls: { ...call, selection } });
        const { status, body } = await there!.post(API.testRuns.create.path, { ...call, selection });
        if (status !== 201) continue;
        const item = {
          item_no: 0,
          source_trace_id: source.trace_id,
          source_span_id: source.id,
          verdict: 'changed',
          result: source.session_id,
          duration_ms: 5,
          new_trace_id: newTraceId(),
        };
        await there!.post(routePath(API.testRuns.report, { id: body.id }), { items: [item] });
      }
    };
    const working = [kept, ...stored.values()].map(copyAndReplay);
    for (const session_id of sessions)
      await here!.post(API.deletions.create.path, { session_id }).expect(201);
    await Promise.all(working);
    await idle();
    expect(await findText(address, 'zq7gone')).toEqual([]);
    const { body } = await there!.get(
      routePath(API.datasets.listItems, { name: 'copies', version: 'latest' }),
    );
    expect(body.items.filter(({ erased }: { erased?: true }) => erased !== true)).toMatchObject([
      { input: ['kept'] },
    ]);
  });

  it('apply a retention rule once', async () => {
    const [here] = tenants;
    await here!.store(span(), span());
    await here!.post(API.retention.set.path, { days: 1 }).expect(200);
    await Promise.all(services.map(({ app }) => app.get(RetentionService).apply()));
    await idle();
    const { body } = await here!.get(API.deletions.list.path).expect(200);
    expect(body.items).toHaveLength(1);
    expect(body.items[0]).toMatchObject({ state: 'done', erased_later: true, counts: { traces: 2 } });
  });

  it('take turns at work of one name, and go on where the other lost its connection', async () => {
    const [mine, other] = services.map(({ app }) => app.get(Locks));
    const order: string[] = [];
    const held = mine!.exclusively('work', async (lost) => {
      order.push('begun');
      while (!lost.aborted) await sleep(5);
    });
    while (order.length === 0) await sleep(5);
    const next = other!.exclusively('work', () => {
      order.push('next');
      return Promise.resolve('done');
    });
    const stopped = new AbortController();
    const given = other!.exclusively('work', () => Promise.resolve('begun'), stopped.signal);
    stopped.abort();
    expect(await given).toBeUndefined();
    order.push('lost');
    expect(await loseLock('work')).toBe(1);
    await held;
    expect(await next).toBe('done');
    expect(order).toEqual(['begun', 'lost', 'next']);
  });

  it('finish a deletion, and count it once, however often the lock is lost in the middle', async () => {
    const [here, there] = tenants;
    const traces = Array.from({ length: 300 }, () => {
      const root = span({ trace_function_key: 'gone' });
      const inside = { trace_id: root.trace_id, parent_id: root.id, trace_function_key: 'inside' };
      return [root, span(inside)];
    });
    const kept = span();
    await here!.store(...traces.flat(), kept);
    const { body: created } = await here!
      .post(API.deletions.create.path, { trace_function_key: 'gone' })
      .expect(201);
    const path = routePath(API.deletions.get, { id: created.id });
    let deletion = created;
    for (let lost = 0; deletion.state !== 'done';) {
      if (lost < 10) lost += await loseLock('deletions');
      deletion = (await there!.get(path).expect(200)).body;
    }
    expect(deletion).toMatchObject({ counts: { traces: 300, spans: 600 } });
    const { body } = await there!.get(API.traces.listKeys.path).expect(200);
    expect(body.items).toMatchObject([{ trace_function_key: kept.trace_function_key, span_count: 1 }]);
    expect(await queryDatabase(address, 'SELECT span_id FROM spans')).toEqual([{ span_id: kept.id }]);
  });

  it('count the requests of a key together', async () => {
    const limited = { name: 'limited', scopes: ['read'], requests_per_minute: 1 };
    const { body: key } = await tenants[0]!.post(API.apiKeys.create.path, limited).expect(201);
    const both = services.map(({ url }) => createTenant(url, '', key.api_key));
    const answers = await Promise.all([0, 1, 0, 1, 0, 1].map((n) => both[n]!.get(API.traces.list.path)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429, 429, 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers['retry-after']).toMatch(/^(60|5\d)$/);
  });

  it('embed each passage once, whichever of them is asked', async () => {
    const texts: string[] = [];
    const embedder = {
      name: 'one number',
      dimensions: 1,
      batchSize: 2,
      embed: async (batch: readonly string[], { kind }: { kind: string }) => {
        if (kind === 'passage') texts.push(...batch);
        await sleep(1);
        return batch.map(({ length }) => [length]);
      },
    };
    const started = await Promise.all(
      [1, 2].map(() => Service.start({ storage: address, indexes: { embedder } })),
    );
    const [here, there] = started.map(({ url }) => createTenant(url, '', tenants[0]!.apiKey));
    const { body: index } = await here!.post(API.indexes.create.path, { name: 'i', type: 'SDK' }).expect(201);
    const documents = Array.from({ length: 9 }, (_, n) => ({
      source: `${n}.md`,
      content: `# ${n}\n\nPassage ${n}.`,
      content_type: 'text/markdown',
    }));
    const { index_id } = index;
    await here!.post(routePath(API.indexes.addDocuments, { index_id }), { documents }).expect(200);
    const ask = (tenant: Tenant) =>
      tenant.post(API.developer.getContext.path, { index_id, query: 'passage' }).expect(200);
    await Promise.all([ask(here!), ask(there!)]);
    for (const { app } of started) await app.get(Embeddings).settled();
    expect(texts).toHaveLength(new Set(texts).size);
    expect(texts).toHaveLength(documents.length);
    for (const one of started) await one.close();
  });
});
