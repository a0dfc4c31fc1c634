import { SystemClock } from '@dacapo/collector';
import { formatTimestamp, newSpanId, newTraceId, SPAN_STATUSES, type TraceSort } from '@dacapo/protocol';
import { join } from 'node:path';
import { Connection } from '../src/storage/drivers/sqlite/connection.js';
import { MIGRATIONS } from '../src/storage/drivers/sqlite/migrations/migrate.js';
import { openSqliteStorage } from '../src/storage/drivers/sqlite/open-sqlite-storage.js';
import type { TraceFilter } from '../src/storage/trace-filter.js';
import { score, span } from './support/records.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const HISTORY = `CREATE TABLE schema_migrations(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_us INTEGER NOT NULL
) STRICT`;

/** An item as version 0.1 kept it. */
interface OldItem {
  item_no: number;
  verdict: 'same' | 'changed' | 'error';
  [field: string]: unknown;
}

/** A data directory as the collector of that schema left it, with a test run in it. */
async function directoryOf(schema: number, items: readonly OldItem[] = []): Promise<string> {
  const dataDir = temporaryDirectory();
  const path = join(dataDir, 'dacapo.db');
  const database = await Connection.open({ path, pragmas: ['journal_mode = WAL'] });
  const applied = MIGRATIONS.slice(0, schema);
  await database.write([
    ...[HISTORY, ...applied.flatMap(({ statements }) => statements)].map((sql) => ({ sql, rows: [[]] })),
    {
      sql: 'INSERT INTO schema_migrations VALUES (?, ?, 1)',
      rows: applied.map(({ id, name }) => [id, name]),
    },
    ...(schema < 3
      ? []
      : [
          {
            sql: `INSERT INTO test_runs(account_id, test_run_id, trace_function_key, created_us)
              VALUES ('acc', 'r', 'k', 1)`,
            rows: [[]],
          },
        ]),
    ...(items.length === 0
      ? []
      : [
          {
            sql: `INSERT INTO test_run_items(account_id, test_run_id, item_no, verdict, record, record_bytes)
              VALUES ('acc', 'r', ?, ?, ?, ?)`,
            rows: items.map((item) => {
              const record = JSON.stringify(item);
              return [item.item_no, item.verdict, record, Buffer.byteLength(record)];
            }),
          },
        ]),
  ]);
  await database.close();
  return dataDir;
}

describe('a database of an older collector', () => {
  it.each(MIGRATIONS.map(({ id, name }) => [id - 1, name] as const))(
    'with schema %d opens, and goes on with %s',
    async (schema) => {
      const storage = await openSqliteStorage(await directoryOf(schema), new SystemClock());
      const runs = await storage.meta.testRuns.list('acc', {}, { limit: 9 });
      expect(runs.map(({ id }) => id)).toEqual(schema < 3 ? [] : ['r']);
      const given = score();
      await storage.spans.ingest('acc', { spans: [], traces: [], scores: [given], receivedAt: '' });
      expect(await storage.spans.listScores('acc', {}, { limit: 9 })).toEqual({ scores: [given] });
      await storage.close();
    },
  );
});

describe('keys and browsers of before there were scopes', () => {
  it('keep every right, and sign in again', async () => {
    const dataDir = await directoryOf(11);
    const database = await Connection.open({ path: join(dataDir, 'dacapo.db'), pragmas: [] });
    const [key, session] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
    await database.write([
      { sql: "INSERT INTO api_keys VALUES ('k', 'acc', 'n', 'h', ?, 1, NULL, NULL)", rows: [[key]] },
      { sql: "INSERT INTO browser_sessions VALUES (?, 'acc', 9007199254740991)", rows: [[session]] },
    ]);
    await database.close();
    const storage = await openSqliteStorage(dataDir, new SystemClock());
    const found = await storage.meta.apiKeys.findByHash(key);
    const signedIn = await storage.meta.signIns.findSession(session, formatTimestamp(1));
    await storage.close();
    expect(found).toMatchObject({ id: 'k', scopes: ['ingest', 'read', 'replay', 'manage'] });
    expect(signedIn).toBeUndefined();
  });
});

describe('what was known of traces before it counted by time', () => {
  it('stays, until something is said of it again', async () => {
    const dataDir = await directoryOf(16);
    const database = await Connection.open({ path: join(dataDir, 'dacapo.db'), pragmas: [] });
    const ids = [newTraceId(), newTraceId()] as const;
    await database.write([
      {
        sql: "INSERT INTO traces(account_id, trace_id, session_id, started_us) VALUES ('acc', ?, 'before', 1)",
        rows: ids.map((id) => [id]),
      },
      {
        sql: "INSERT INTO trace_attributes(account_id, trace_id, kind, key, value) VALUES ('acc', ?, 'metadata', ?, '1')",
        rows: ids.flatMap((id) => ['a', 'b'].map((key) => [id, key])),
      },
    ]);
    await database.close();
    const storage = await openSqliteStorage(dataDir, new SystemClock());
    const root = span({ trace_id: ids[1], session_id: 'after', trace_metadata: { b: 2 } });
    await storage.spans.ingest('acc', { spans: [root], traces: [], receivedAt: root.started_at });
    const known = await storage.spans.readTraces('acc', [...ids]);
    await storage.close();
    expect(new Map(known.map(({ id, ...facts }) => [id, facts]))).toEqual(
      new Map([
        [ids[0], { session_id: 'before', metadata: { a: 1, b: 1 } }],
        [ids[1], { session_id: 'after', metadata: { a: 1, b: 2 } }],
      ]),
    );
  });
});

describe('traces from before they knew the number of their root', () => {
  it('are listed with it, and with another that a late record makes their root', async () => {
    const dataDir = await directoryOf(37);
    const database = await Connection.open({ path: join(dataDir, 'dacapo.db'), pragmas: [] });
    const [traceId, root, first] = [newTraceId(), newSpanId(), newSpanId()];
    const columns = `account_id, trace_id, span_id, parent_id, trace_function_key, name, type, status, started_us,
      payload_bytes, received_us`;
    await database.write([
      {
        sql: `INSERT INTO spans(${columns}) VALUES ('acc', ?, ?, ?, 'k', ?, 'function', 'unfinished', 2, 0, 2)`,
        rows: [
          [traceId, newSpanId(), root, 'inside'],
          [traceId, root, null, 'root'],
        ],
      },
      {
        sql: `INSERT INTO traces(account_id, trace_id, root_span_id, root_is_child, started_us, span_count)
          VALUES ('acc', ?, ?, 0, 2, 2)`,
        rows: [[traceId, root]],
      },
    ]);
    await database.close();
    const storage = await openSqliteStorage(dataDir, new SystemClock());
    const name = async (): Promise<string | undefined> =>
      (await storage.spans.listTraces('acc', {}, { limit: 9 })).traces[0]?.trace.name;
    const before = await name();
    const started_at = formatTimestamp(1);
    const earlier = span({ id: first, trace_id: traceId, name: 'first', started_at });
    await storage.spans.ingest('acc', { spans: [earlier], traces: [], receivedAt: started_at });
    const after = await name();
    await storage.close();
    expect([before, after]).toEqual(['root', 'first']);
  });
});

describe('usage of traces from before it was stored with them', () => {
  it('is shown by lists and by each trace', async () => {
    const dataDir = await directoryOf(35);
    const database = await Connection.open({ path: join(dataDir, 'dacapo.db'), pragmas: [] });
    const [used, plain] = [newTraceId(), newTraceId()];
    const usage = { model_calls: 2, input_tokens: 7, output_tokens: 1, unpriced_calls: 2 };
    await database.write([
      {
        sql: "INSERT INTO traces(account_id, trace_id, started_us) VALUES ('acc', ?, 1)",
        rows: [[used], [plain]],
      },
      {
        sql: "INSERT INTO trace_metrics(account_id, trace_id, usage, contribution) VALUES ('acc', ?, ?, '[]')",
        rows: [
          [used, JSON.stringify(usage)],
          [plain, null],
        ],
      },
    ]);
    await database.close();
    const storage = await openSqliteStorage(dataDir, new SystemClock());
    const { traces } = await storage.spans.listTraces('acc', {}, { limit: 9 });
    await storage.close();
    expect(new Map(traces.map(({ trace }) => [trace.id, trace.usage]))).toEqual(
      new Map([
        [used, usage],
        [plain, undefined],
      ]),
    );
  });
});

describe('amounts of traces from before they were stored in their order', () => {
  it('are what they were, and not known where they were not', async () => {
    const dataDir = await directoryOf(33);
    const database = await Connection.open({ path: join(dataDir, 'dacapo.db'), pragmas: [] });
    const [used, plain] = [newTraceId(), newTraceId()];
    await database.write([
      {
        sql: `INSERT INTO traces(account_id, trace_id, started_us, duration_ms, tokens, cost_usd)
          VALUES ('acc', ?, 1, ?, ?, ?)`,
        rows: [
          [plain, 7, undefined, undefined],
          [used, undefined, 0, 0.5],
        ],
      },
    ]);
    await database.close();
    const storage = await openSqliteStorage(dataDir, new SystemClock());
    const listed = async (sort: TraceSort) => {
      const { traces } = await storage.spans.listTraces('acc', {}, { limit: 9 }, sort);
      return traces.map(({ trace: { id, tokens, cost_usd }, position: [by] }) => ({
        id,
        tokens,
        cost_usd,
        by,
      }));
    };
    const [tokens, durations] = [await listed('tokens'), await listed('duration_ms')];
    await storage.close();
    const [first, second] = [{ id: used, tokens: 0, cost_usd: 0.5 }, { id: plain }];
    expect(tokens).toEqual([
      { ...first, by: 0 },
      { ...second, by: -1 },
    ]);
    expect(durations).toEqual([
      { ...second, by: 7 },
      { ...first, by: -1 },
    ]);
  });
});

describe('traces from before their outcomes were stored', () => {
  it('are listed by what became of them', async () => {
    const dataDir = await directoryOf(34);
    const database = await Connection.open({ path: join(dataDir, 'dacapo.db'), pragmas: [] });
    const counts = {
      ok: [1, 0, 0, 0],
      error: [3, 1, 1, 1],
      cancelled: [2, 0, 1, 1],
      unfinished: [1, 0, 0, 1],
    };
    const traces = Object.values(counts).map((of) => [newTraceId(), ...of]);
    const empty = [newTraceId(), 0, 0, 0, 0];
    await database.write([
      {
        sql: `INSERT INTO traces(account_id, trace_id, started_us, span_count, error_count, cancelled_count, unfinished_count)
          VALUES ('acc', ?, 1, ?, ?, ?, ?)`,
        rows: [...traces, empty],
      },
      {
        sql: `INSERT INTO trace_calls(account_id, trace_function_key, trace_id, started_us, is_recording, is_replay,
            error_count, cancelled_count, unfinished_count)
          VALUES ('acc', 'k', ?, 1, 1, 0, ?, ?, ?)`,
        rows: traces.map(([id, , ...of]) => [id, ...of]),
      },
    ]);
    await database.close();
    const storage = await openSqliteStorage(dataDir, new SystemClock());
    const listed = async (filter: TraceFilter) => {
      const list = await storage.spans.listTraces('acc', filter, { limit: 9 });
      return list.traces.map(({ trace }) => trace.id).sort();
    };
    for (const [at, status] of SPAN_STATUSES.entries()) {
      const ids = [traces[at]?.[0]];
      expect([status, await listed({ status, traceFunctionKey: 'k' })]).toEqual([status, ids]);
      const all = status === 'unfinished' ? [...ids, empty[0]] : ids;
      expect([status, await listed({ status })]).toEqual([status, all.sort()]);
    }
    await storage.close();
  });
});

describe('the items of a run that version 0.1 kept', () => {
  const source = (): object => ({
    ...{ source_trace_id: newTraceId(), source_span_id: newSpanId() },
    ...{ new_trace_id: newTraceId(), new_span_id: newSpanId() },
  });
  const error = { name: 'TypeError', message: 'x is not a function', stack: 'at x' };
  const items: OldItem[] = [
    { item_no: 0, ...source(), verdict: 'same', result: 1, input: [1], original_output: 1, duration_ms: 2.5 },
    {
      ...{
        item_no: 1,
        ...source(),
        verdict: 'changed',
        result: null,
        input: ['ü'.repeat(400)],
        original_error: error,
      },
      ...{ duration_ms: 3, original_duration_ms: 4.25 },
      divergences: [{ kind: 'extra', path: ['tool'] }],
    },
    { item_no: 2, ...source(), verdict: 'error', error, input: [], divergences: [], divergence_count: 0 },
    {
      ...{ item_no: 3, ...source(), verdict: 'same', result: 2, original_output: 2 },
      ...{ divergences: [{ kind: 'missing', path: ['a', 'b'] }], divergence_count: 120 },
    },
    { item_no: 7, source_trace_id: newTraceId(), verdict: 'error', error },
  ];

  it('are listed, counted and read as they were', async () => {
    const storage = await openSqliteStorage(await directoryOf(5, items), new SystemClock());
    const { testRuns } = storage.meta;
    const listed = await testRuns.listItems('acc', 'r', {}, { limit: 9 });
    const read = await testRuns.readItems(
      'acc',
      'r',
      items.map(({ item_no }) => [item_no, 0]),
    );
    const totals = await testRuns.count('acc', 'r');
    const diverged = await testRuns.listItems('acc', 'r', { flag: 'diverged' }, { limit: 9 });
    const ofTrace = await testRuns.listItems(
      'acc',
      'r',
      { newTraceId: String(items[1]!['new_trace_id']) },
      { limit: 9 },
    );
    await storage.close();

    expect(read.map(({ record }) => record).sort((a, b) => a.item_no - b.item_no)).toEqual(items);
    expect(read.every(({ isPending }) => !isPending)).toBe(true);
    const kept = ['item_no', 'verdict', 'source_trace_id', 'source_span_id', 'new_trace_id', 'new_span_id'];
    const summary = (no: number, more: object): object => ({
      ...Object.fromEntries(kept.flatMap((name) => (name in items[no]! ? [[name, items[no]![name]]] : []))),
      ...more,
    });
    const errorPreview = 'TypeError: x is not a function';
    expect(listed.map((item) => item.summary)).toEqual([
      summary(0, { duration_ms: 2.5, input_preview: '[1]' }),
      summary(1, {
        ...{ duration_ms: 3, original_duration_ms: 4.25, divergence_count: 1 },
        input_preview: `["${'ü'.repeat(197)}…`,
      }),
      summary(2, { input_preview: '[]', error_preview: errorPreview }),
      summary(3, { divergence_count: 120 }),
      summary(4, { error_preview: errorPreview }),
    ]);
    expect(listed.map(({ payload_bytes }) => payload_bytes)).toEqual(
      items.map((item) => Buffer.byteLength(JSON.stringify(item))),
    );
    expect(totals).toMatchObject({
      items: 5,
      same: 2,
      changed: 1,
      unknown: 0,
      error: 2,
      diverged: 2,
      flaky: 0,
    });
    expect(diverged.map((item) => item.summary.item_no)).toEqual([1, 3]);
    expect(ofTrace.map((item) => item.summary.item_no)).toEqual([1]);
  });
});
