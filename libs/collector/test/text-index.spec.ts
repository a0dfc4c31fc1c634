import { type Storage, SystemClock } from '@dacapo/collector';
import { formatTimestamp, ROUTES, type TraceSort } from '@dacapo/protocol';
import fc from 'fast-check';
import type { SpanStore, TraceList, TracePosition } from '../src/storage/span-store.js';
import type { TraceFilter } from '../src/storage/trace-filter.js';
import { openSqliteStorage } from '../src/storage/drivers/sqlite/open-sqlite-storage.js';
import { Connection } from '../src/storage/drivers/sqlite/connection.js';
import { completeBeginnings } from '../src/storage/drivers/sqlite/spans/complete-beginnings.js';
import { accountPrefix } from '../src/storage/drivers/sqlite/spans/text-words.js';
import { TextSearch } from '../src/storage/drivers/sqlite/spans/text-search.js';
import { hasText, parseTextQuery, searchedSpanOf } from '../src/storage/text-query.js';
import { ManualClock } from './support/manual-clock.js';
import { OracleSpanStore } from './oracle/oracle-span-store.js';
import { span, startedAt, unfinished } from './support/records.js';
import { Service, type Tenant } from './support/service.js';
import { temporaryDirectory } from './support/temporary-directory.js';
import { join } from 'node:path';

const ACCOUNT = 'acc';
const RECEIVED = startedAt(50);
const OLD = '2026-01-01T00:00:00.000000Z';

function search(storage: Storage, text: string): Promise<TraceList> {
  return storage.spans.listTraces(ACCOUNT, { span: { text: parseTextQuery(text) } }, { limit: 5 });
}

/** Asks until all is looked through. */
async function searchAll(storage: Storage, text: string): Promise<string[]> {
  for (;;) {
    const { traces, textIndexedUntil } = await search(storage, text);
    if (textIndexedUntil === undefined) return traces.map(({ trace }) => trace.name);
  }
}

/** Ids of the traces of all pages. */
async function listAll(store: SpanStore, filter: TraceFilter, sort: TraceSort): Promise<string[]> {
  const ids: string[] = [];
  let after: TracePosition | undefined;
  do {
    const list = await store.listTraces(ACCOUNT, filter, { limit: 20, ...(after && { after }) }, sort);
    ids.push(...list.traces.map(({ trace }) => trace.id));
    after = list.traces.length === 20 ? list.traces.at(-1)?.position : list.lookedUntil;
  } while (after !== undefined);
  return ids;
}

describe('the index of texts', () => {
  it.each([
    ['along the list', { few: 10, hits: 10, lookedThrough: 1000, lookedThroughByAmount: 1000 }],
    ['along parts of the list', { few: 10, hits: 10, lookedThrough: 50, lookedThroughByAmount: 50 }],
    ['by the traces of rare words', { few: 10, hits: 100, lookedThrough: 50, lookedThroughByAmount: 50 }],
  ])('finds among many traces what a look at each of them finds: %s', async (_, listBounds) => {
    const sqlite = await openSqliteStorage(temporaryDirectory(), new SystemClock(), { listBounds });
    const oracle = new OracleSpanStore();
    const spans = Array.from({ length: 240 }, (_, index) => {
      // What comes one after another began at quite different times.
      const number = (index * 131) % 240;
      const said = [`customer${number % 10}`, ...(number % 7 === 0 ? ['refund'] : []), 'of the customer'];
      return span({
        started_at: formatTimestamp(Date.UTC(2026, 0, 31) * 1000 + number * 1e6),
        status: number % 5 === 0 ? 'error' : 'ok',
        trace_function_key: `key-${number % 2}`,
        span_data: { output: said.join(' '), usage: { input_tokens: number % 50 } },
      });
    });
    for (const store of [sqlite.spans, oracle]) {
      await store.ingest(ACCOUNT, { spans, traces: [], receivedAt: RECEIVED });
    }
    while ((await sqlite.spans.textsWaitSince()) !== undefined) await search(sqlite, 'refund');
    for (const text of ['customer', 'refund customer', 'cust* ref*', '"refund refund"']) {
      for (const more of [{}, { traceFunctionKey: 'key-1' }, { status: 'error' as const }]) {
        for (const sort of ['time', 'tokens'] as const) {
          const filter = { ...more, span: { text: parseTextQuery(text) } };
          expect(await listAll(sqlite.spans, filter, sort)).toEqual(await listAll(oracle, filter, sort));
        }
      }
    }
    await sqlite.close();
  });

  it('is asked for traces whose spans are anywhere in it, whatever has the text between them', async () => {
    const dataDir = temporaryDirectory();
    const storage = await openSqliteStorage(dataDir, new SystemClock());
    const spans = Array.from({ length: 1500 }, (_, number) => {
      const said = [
        'always',
        ...(number % 3 === 0 ? ['third here'] : ['here']),
        ...(number >= 500 && number < 700 ? ['cluster'] : []),
        ...(number === 1499 ? ['last'] : []),
        ...[`few${number % 7}`, `many${number % 300}`, `few${number % 7}`, `many${number % 300}`],
      ];
      return span({ span_data: { output: said.join(' ') } });
    });
    await storage.spans.ingest(ACCOUNT, { spans, traces: [], receivedAt: RECEIVED });
    while ((await storage.spans.textsWaitSince()) !== undefined) await search(storage, 'always');
    await storage.close();
    const connection = await Connection.open({ path: join(dataDir, 'dacapo.db'), pragmas: [] });
    const texts = [
      'always',
      '"third here"',
      'cluster',
      'cluster third',
      'last',
      '"here always"',
      'alw* clus*',
      'few*',
      'few* third clus*',
      'here-few*',
      'many*',
      'many1* few*',
      'none*',
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(spans, { maxLength: 40 }),
        fc.constantFrom(...texts),
        async (some, text) => {
          const query = parseTextQuery(text);
          const search = await TextSearch.of(connection, ACCOUNT, query, {});
          const found = await search.among(some.map(({ trace_id }) => trace_id));
          const having = some.filter((one) => hasText(searchedSpanOf(one), query));
          expect(found).toEqual(new Set(having.map(({ trace_id }) => trace_id)));
        },
      ),
      { numRuns: 100 },
    );
    await connection.close();
  });

  it('is asked for the words that a beginning begins, where these are few and have many entries', async () => {
    const dataDir = temporaryDirectory();
    const storage = await openSqliteStorage(dataDir, new SystemClock());
    const words = (beginning: string, count: number): string[] =>
      Array.from({ length: count }, (_, index) => `${beginning}${100 + index}`);
    const own = ['one', 'ones', 'älter', 'älter', ...words('most', 16), ...words('more', 17), 'rare'];
    for (const [account, said] of [
      [ACCOUNT, own],
      ['another', ['onerous', 'theirs', ...words('most', 40)]],
    ] as const) {
      const spans = [span({ span_data: { output: said.join(' ') } })];
      await storage.spans.ingest(account, { spans, traces: [], receivedAt: RECEIVED });
    }
    while ((await storage.spans.textsWaitSince()) !== undefined) await search(storage, 'one');
    await storage.close();
    const connection = await Connection.open({ path: join(dataDir, 'dacapo.db'), pragmas: [] });
    const completed = await completeBeginnings(
      connection,
      parseTextQuery('one* ält* most* more* none* rare* here-one* "one" most'),
      accountPrefix(ACCOUNT),
      1,
    );
    await connection.close();
    expect(completed).toEqual([
      { words: [], isPrefix: false, lastWords: ['one', 'ones'] },
      { words: ['alter'], isPrefix: false },
      { words: [], isPrefix: false, lastWords: words('most', 16) },
      { words: ['more'], isPrefix: true },
      { words: ['none'], isPrefix: true },
      { words: ['rare'], isPrefix: true },
      { words: ['here'], isPrefix: false, lastWords: ['one', 'ones'] },
      { words: ['one'], isPrefix: false },
      { words: ['most'], isPrefix: false },
    ]);
  });

  it('takes in the spans of a database from before it, in the background, and says until when it has', async () => {
    const dataDir = temporaryDirectory();
    const before = await openSqliteStorage(dataDir, new SystemClock());
    const spans = Array.from({ length: 2000 }, (_, index) =>
      span({ name: `n${index}`, span_data: { output: `said word${index}` } }),
    );
    await before.spans.ingest(ACCOUNT, { spans, traces: [], receivedAt: RECEIVED });
    await before.close();
    // As a migration leaves it.
    const writer = await Connection.open({ path: join(dataDir, 'dacapo.db'), pragmas: [] });
    await writer.write([
      { sql: 'DELETE FROM span_text WHERE rowid <= (SELECT upto FROM text_index)', rows: [[]] },
      { sql: 'UPDATE text_index SET upto = 0', rows: [[]] },
    ]);
    await writer.close();

    const after = await openSqliteStorage(dataDir, new SystemClock());
    expect((await search(after, 'word1')).textIndexedUntil).toBe(RECEIVED);
    expect(await searchAll(after, 'word1')).toEqual(['n1']);
    expect(await searchAll(after, 'word1999')).toEqual(['n1999']);
    await after.close();
  });

  describe('that takes nothing in any more', () => {
    const clock = new ManualClock();
    let service: Service;
    let tenant: Tenant;

    beforeAll(async () => {
      const dataDir = temporaryDirectory();
      service = await Service.start({ dataDir, clock });
      tenant = await service.addTenant();
      const begun = unfinished(span({ span_data: { output: 'refund at the end' } }));
      await tenant.store(begun, span({ name: 'indexed', span_data: { output: 'refund' } }), span());
      while ((await list('refund')).body.text_indexed_until !== undefined);
      const other = await Connection.open({ path: join(dataDir, 'dacapo.db'), pragmas: [] });
      const refusal = `CREATE TRIGGER held BEFORE UPDATE OF upto ON text_index BEGIN SELECT RAISE(ABORT, 'held'); END`;
      await other.write([{ sql: refusal, rows: [[]] }]);
      await other.close();
      const ended = { name: 'ended', span_data: { output: 'refund at the end' } };
      await tenant.store({ ...span(), ...begun, ...ended, status: 'ok' });
      await tenant.store(span({ name: 'new', span_data: { output: 'refund' } }), span({ name: 'another' }));
    });

    afterAll(() => service.close());

    const list = (text: string): ReturnType<Tenant['get']> =>
      tenant.get(`${ROUTES.traces}?text=${encodeURIComponent(text)}`).expect(200);

    it('lists what it has, and says until when that is', async () => {
      const { body } = await list('refund');
      expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['indexed']);
      expect(body.text_indexed_until).toMatch(/^2026-02-01/);
    });

    it('lacks no call: what is not in it is read', async () => {
      const search = { trace_function_key: 'answer', text: 'refund' };
      const { body } = await tenant.post(ROUTES.searchCalls, search).expect(200);
      const names = body.items.map(({ name }: { name: string }) => name);
      expect(names.toSorted()).toEqual(['ended', 'indexed', 'new']);
    });

    it('has a page of calls end early where many of them are read', async () => {
      const told = { trace_function_key: 'told' };
      const spans = Array.from({ length: 130 }, () => span(told));
      await tenant.store(
        span({ ...told, name: 'old', span_data: { output: 'refund' }, started_at: OLD }),
        ...spans,
      );
      const search = { ...told, text: 'refund', limit: 30 };
      const { body: first } = await tenant.post(ROUTES.searchCalls, search).expect(200);
      expect(first).toEqual({ items: [], next_cursor: expect.any(String) });
      const { body: rest } = await tenant
        .post(ROUTES.searchCalls, { ...search, cursor: first.next_cursor })
        .expect(200);
      expect(rest).toEqual({ items: [expect.objectContaining({ name: 'old' })] });
    });

    it('is told by the health of a service that is ready, once that lasts', async () => {
      expect((await service.anonymous.get(ROUTES.ready).expect(200)).body).toEqual({ status: 'ok' });
      const { text_indexed_until: until } = (await list('refund')).body;
      clock.advance(61);
      expect((await service.anonymous.get(ROUTES.ready).expect(200)).body).toEqual({
        status: 'ok',
        text_indexed_until: until,
      });
    });
  });
});
