import { type Storage, SystemClock } from '@dacapo/collector';
import { formatTimestamp, type SpanRecord, type TraceSort } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import fc from 'fast-check';
import type { SpanStore, TraceList, TracePosition } from '../src/storage/ports/span-store.js';
import type { TraceFilter } from '../src/storage/ports/trace-filter.js';
import { openInMemoryStorage } from '../src/storage/engines/sqlite/open-in-memory-storage.js';
import { openSqliteStorage } from '../src/storage/engines/sqlite/open-sqlite-storage.js';
import { Connection } from '../src/storage/engines/sqlite/connection.js';
import { completeBeginnings } from '../src/storage/engines/sqlite/spans/complete-beginnings.js';
import { accountPrefix } from '../src/storage/spans/account-prefix.js';
import { TextSearch } from '../src/storage/engines/sqlite/spans/text-search.js';
import { hasText, parseTextQuery, toSearchedSpan } from '../src/storage/rules/text-query.js';
import { ManualClock } from './support/manual-clock.js';
import { OracleSpanStore } from './oracle/oracle-span-store.js';
import { span, startedAt, unfinished } from './support/records.js';
import { Service, type Tenant } from './support/service.js';
import { temporaryDirectory } from './support/temporary-directory.js';
import { join } from 'node:path';

const ACCOUNT = 'acc';
const OTHER = 'other';
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

  it('is searched for traces whose spans match anywhere, whichever span has the text', async () => {
    const dataDir = temporaryDirectory();
    const storage = await openSqliteStorage(dataDir, new SystemClock());
    const spans = Array.from({ length: 1500 }, (_, number) => {
      const said = [
        'always',
        ...(number % 3 === 0 ? ['third here'] : ['here']),
        ...(number >= 500 && number < 700 ? ['cluster'] : []),
        ...(number === 1499 ? ['last'] : []),
        `few${number % 7}`,
        `many${number % 300}`,
        `few${number % 7}`,
        `many${number % 300}`,
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
          const having = some.filter((one) => hasText(toSearchedSpan(one), query));
          expect(found).toEqual(new Set(having.map(({ trace_id }) => trace_id)));
        },
      ),
      { numRuns: 30 },
    );
    await connection.close();
  });

  it('is searched for words with a prefix when they are few with many entries', async () => {
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

  it('indexes the spans of an older database in the background, and reports its progress', async () => {
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
      { sql: 'DELETE FROM span_text WHERE rowid IN (SELECT span_no FROM spans)', rows: [[]] },
      { sql: 'DELETE FROM text_queue', rows: [[]] },
      {
        sql: `INSERT INTO text_queue(account_id, first_span, last_span, received_us)
          SELECT account_id, min(span_no), max(span_no), min(received_us) FROM spans GROUP BY account_id`,
        rows: [[]],
      },
    ]);
    await writer.close();

    const after = await openSqliteStorage(dataDir, new SystemClock());
    expect((await search(after, 'word1')).textIndexedUntil).toBe(RECEIVED);
    expect(await searchAll(after, 'word1')).toEqual(['n1']);
    expect(await searchAll(after, 'word1999')).toEqual(['n1999']);
    await after.close();
  });

  it('indexes a new span of one account while another account has a backlog', async () => {
    const storage = await openSqliteStorage(temporaryDirectory(), new SystemClock());
    const backlog = Array.from({ length: 20 }, () =>
      Array.from({ length: 500 }, () => span({ span_data: { output: 'backlog' } })),
    );
    for (const spans of backlog) {
      await storage.spans.ingest(OTHER, { spans, traces: [], receivedAt: startedAt(10) });
    }
    const spans = [span({ name: 'own', span_data: { output: 'urgent' } })];
    await storage.spans.ingest(ACCOUNT, { spans, traces: [], receivedAt: RECEIVED });

    const { traces, textIndexedUntil } = await search(storage, 'urgent');
    expect(traces.map(({ trace }) => trace.name)).toEqual(['own']);
    expect(textIndexedUntil).toBeUndefined();
    expect(await storage.spans.textsWaitSince()).toBe(startedAt(10));
    await storage.close();
  });

  it('finds the stored words of each account through any stores, changes and deletions between turns', async () => {
    const accounts = [ACCOUNT, OTHER];
    const words = ['refund', 'parcel', 'late'];
    const step = fc.record({
      account: fc.constantFrom(...accounts),
      action: fc.constantFrom('store', 'begin', 'end', 'delete', 'search'),
      words: fc.subarray(words, { minLength: 1 }),
      count: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const storage = await openInMemoryStorage(new SystemClock());
        const stored = new Map(accounts.map((account) => [account, new Map<string, SpanRecord>()]));
        const ownSpans = (account: string): Map<string, SpanRecord> => stored.get(account) ?? new Map();
        const put = async (account: string, spans: SpanRecord[]): Promise<void> => {
          await storage.spans.ingest(account, { spans, traces: [], receivedAt: RECEIVED });
          for (const one of spans) ownSpans(account).set(one.trace_id, one);
        };
        const check = async (account: string, text: string): Promise<void> => {
          const query = parseTextQuery(text);
          let list: TraceList;
          do {
            list = await storage.spans.listTraces(account, { span: { text: query } }, { limit: 500 });
          } while (list.textIndexedUntil !== undefined);
          const having = [...ownSpans(account).values()].filter((one) => hasText(toSearchedSpan(one), query));
          const ids = having.map(({ trace_id: id }) => id);
          expect(list.traces.map(({ trace }) => trace.id).sort()).toEqual(ids.sort());
        };
        for (const { account, action, words: said, count } of steps) {
          const output = said.join(' ');
          const some = [...ownSpans(account).values()].slice(-count);
          const made = Array.from({ length: count }, () => span({ span_data: { output } }));
          if (action === 'store') await put(account, made);
          if (action === 'begin') await put(account, made.map(unfinished));
          if (action === 'end') {
            const open = some.filter(({ status }) => status === 'unfinished');
            await put(
              account,
              open.map((begun) => span({ id: begun.id, trace_id: begun.trace_id, span_data: { output } })),
            );
          }
          if (action === 'delete') {
            const ids = some.map(({ trace_id: id }) => id);
            const deletion = { forgetAt: '2027-01-01T00:00:00.000000Z', mostSpans: 1000 };
            if (ids.length > 0) await storage.spans.deletions.deleteTraces(account, ids, deletion);
            for (const id of ids) ownSpans(account).delete(id);
          }
          if (action === 'search') await check(account, said[0] ?? '');
        }
        for (const account of accounts) for (const word of words) await check(account, word);
        await storage.close();
      }),
      { numRuns: 10 },
    );
  });

  describe('that indexes nothing any more', () => {
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
      const refusal = `CREATE TRIGGER held BEFORE DELETE ON text_queue BEGIN SELECT RAISE(ABORT, 'held'); END`;
      await other.write([{ sql: refusal, rows: [[]] }]);
      await other.close();
      const ended = { name: 'ended', span_data: { output: 'refund at the end' } };
      // In one batch: a turn between two batches would index the change alone, which leaves the queue as it is.
      await tenant.store(
        { ...span(), ...begun, ...ended, status: 'ok' },
        span({ name: 'new', span_data: { output: 'refund' } }),
        span({ name: 'another' }),
      );
    });

    afterAll(() => service.close());

    const list = (text: string): ReturnType<Tenant['get']> =>
      tenant.get(`${API.traces.list.path}?text=${encodeURIComponent(text)}`).expect(200);

    it('lists its entries, and reports until when they are complete', async () => {
      const { body } = await list('refund');
      expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['indexed']);
      expect(body.text_indexed_until).toMatch(/^2026-02-01/);
    });

    it('misses no call: those outside it are read', async () => {
      const search = { trace_function_key: 'answer', text: 'refund' };
      const { body } = await tenant.post(API.calls.search.path, search).expect(200);
      const names = body.items.map(({ name }: { name: string }) => name);
      expect(names.toSorted()).toEqual(['ended', 'indexed', 'new']);
    });

    it('ends a page of calls early when many of them are read', async () => {
      const withKey = { trace_function_key: 'told' };
      const spans = Array.from({ length: 130 }, () => span(withKey));
      await tenant.store(
        span({ ...withKey, name: 'old', span_data: { output: 'refund' }, started_at: OLD }),
        ...spans,
      );
      const search = { ...withKey, text: 'refund', limit: 30 };
      const { body: first } = await tenant.post(API.calls.search.path, search).expect(200);
      expect(first).toEqual({ items: [], next_cursor: expect.any(String) });
      const { body: rest } = await tenant
        .post(API.calls.search.path, { ...search, cursor: first.next_cursor })
        .expect(200);
      expect(rest).toEqual({ items: [expect.objectContaining({ name: 'old' })] });
    });

    it('is reported by the health of a ready service once it persists', async () => {
      expect((await service.anonymous.get(API.service.ready.path).expect(200)).body).toEqual({
        status: 'ok',
      });
      const { text_indexed_until: until } = (await list('refund')).body;
      clock.advance(61);
      expect((await service.anonymous.get(API.service.ready.path).expect(200)).body).toEqual({
        status: 'ok',
        text_indexed_until: until,
      });
    });
  });
});
