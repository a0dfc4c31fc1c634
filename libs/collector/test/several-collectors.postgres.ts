import { DatabaseTooNewError, DatabaseUnreleasedError } from '@dacapo/collector';
import type { MetaStore, Storage } from '@dacapo/collector/storage';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { PostgresConnection } from '../src/storage/engines/postgres/connection.js';
import { openPostgresStorage } from '../src/storage/engines/postgres/open-postgres-storage.js';
import { ADDED_AT_ONCE, sumTallies } from '../src/storage/engines/postgres/spans/metrics.js';
import { migrate, MIGRATIONS } from '../src/storage/engines/postgres/schema.js';
import { ManualClock } from './support/manual-clock.js';
import { OwnPostgresServer, queryDatabase } from './support/postgres-server.js';
import { span, startedAt } from './support/records.js';
import { SILENT } from './support/service.js';

const NOW = '2026-01-31T12:00:00.000000Z';

describe('several collectors on one PostgreSQL', () => {
  let server: OwnPostgresServer;
  let address: string;
  let stores: MetaStore[];
  let closeAll: (() => Promise<void>)[];

  beforeAll(async () => {
    server = await OwnPostgresServer.start();
  });

  afterAll(() => server.stop());

  beforeEach(async () => {
    address = await server.createDatabase();
    // They start at once, on an empty database.
    const opened = await Promise.all([1, 2, 3].map(() => openPostgresStorage(address)));
    stores = opened.map(({ meta }) => meta);
    closeAll = opened.map(({ close }) => close);
    await stores[0]?.accounts.create({ id: 'acc', name: 'n', created_at: NOW });
  });

  afterEach(async () => {
    for (const close of closeAll) await close();
  });

  it('create the tables once, and see the writes of each other', async () => {
    for (const store of stores) expect(await store.accounts.find('acc')).toMatchObject({ name: 'n' });
    expect(await queryDatabase(address, 'SELECT id::int FROM schema_migrations')).toEqual([{ id: 1 }]);
  });

  it('upgrade the schema once when they start at the same time, and one of an older version then refuses', async () => {
    // Fails where it ran before.
    const added = { name: 'a colour', statements: ['ALTER TABLE accounts ADD COLUMN colour TEXT'] };
    const connections = [1, 2, 3].map(() => new PostgresConnection(address, { connections: 1 }));
    await Promise.all(connections.map((one) => migrate(one, 'the database', [...MIGRATIONS, added])));
    for (const one of connections) await one.close();
    const history = await queryDatabase<{ name: string }>(
      address,
      'SELECT name FROM schema_migrations ORDER BY id',
    );
    expect(history.map(({ name }) => name)).toEqual([MIGRATIONS[0]?.name, 'a colour']);
    expect(await queryDatabase(address, 'SELECT name, colour FROM accounts')).toEqual([
      { name: 'n', colour: null },
    ]);
    await expect(openPostgresStorage(address)).rejects.toBeInstanceOf(DatabaseTooNewError);
  });

  it('refuse a database of a later version, and one of another commit from before the first release', async () => {
    await queryDatabase(address, `INSERT INTO schema_migrations(id, name) VALUES (99, 'later')`);
    await expect(openPostgresStorage(address)).rejects.toBeInstanceOf(DatabaseTooNewError);
    await queryDatabase(address, `DELETE FROM schema_migrations WHERE id = 99`);
    await queryDatabase(address, `UPDATE schema_migrations SET name = 'base of another commit'`);
    await expect(openPostgresStorage(address)).rejects.toBeInstanceOf(DatabaseUnreleasedError);
    await queryDatabase(address, 'DELETE FROM schema_migrations');
    await expect(openPostgresStorage(address)).rejects.toBeInstanceOf(DatabaseUnreleasedError);
  });

  it('follow the clock of the database, and report a machine whose clock is off', async () => {
    const warnings: string[] = [];
    const logger = { ...SILENT, warn: (message: string) => void warnings.push(message) };
    const readTime = async (): Promise<number> => {
      const sql = 'SELECT (extract(epoch FROM clock_timestamp()) * 1e6)::float AS us';
      return (await queryDatabase<{ us: number }>(address, sql))[0]?.us ?? NaN;
    };
    const before = await readTime();
    const storage = await openPostgresStorage(address, { clock: new ManualClock(), logger });
    expect(storage.clock?.nowUs()).toBeGreaterThanOrEqual(before);
    expect(storage.clock?.nowUs()).toBeLessThanOrEqual(await readTime());
    expect(warnings).toEqual([expect.stringMatching(/clock is \d+\.\d s (behind|ahead of) the database's/)]);
    await storage.close();
  });

  it('add up what batches count, and readers see the same before and after', async () => {
    const storage = await openPostgresStorage(address, { behindEveryMs: 10 });
    const spans = Array.from({ length: 300 }, (_, n) => span({ trace_function_key: `key-${n}` }));
    await storage.spans.ingest('acc', { spans, traces: [], receivedAt: NOW });
    const countTallies = async (): Promise<number> => {
      const sql = 'SELECT count(*)::int AS n FROM metrics WHERE is_sum = 0';
      return (await queryDatabase<{ n: number }>(address, sql))[0]?.n ?? NaN;
    };
    while ((await countTallies()) > 0) await sleep(10);
    const query = { sinceUs: 0, untilUs: Number.MAX_SAFE_INTEGER, replays: 'exclude' as const };
    const { rows } = await storage.spans.readMetrics('acc', query);
    expect(rows.map(({ tally }) => tally.calls)).toEqual(spans.map(() => 1));
    expect(await storage.spans.listTraceFunctionKeys('acc')).toHaveLength(spans.length);
    await storage.close();
  });

  it('go on adding up until nothing is left, also where sums exist', async () => {
    // They add up, too.
    for (const close of closeAll.splice(0)) await close();
    const connection = new PostgresConnection(address, { connections: 1 });
    const storage = await openPostgresStorage(address, { behindEveryMs: 1e9 });
    const keys = Array.from({ length: 1200 }, (_, n) => `key-${n}`);
    const addAll = async (): Promise<(number | undefined)[]> => {
      const spans = keys.map((key) => span({ trace_function_key: key }));
      await storage.spans.ingest('acc', { spans, traces: [], receivedAt: NOW });
      const add = () => connection.transact((db) => sumTallies(db, 'acc'));
      return [await add(), await add(), await add()];
    };
    // Each key and the whole traces, by hour and by day.
    const expected = [ADDED_AT_ONCE, 2 * (keys.length + 1) - ADDED_AT_ONCE, 0];
    expect([await addAll(), await addAll()]).toEqual([expected, expected]);
    await storage.close();
    await connection.close();
  });

  it('count a long trace behind ingest, and in the end as a short one', async () => {
    const long = await openPostgresStorage(address, { bounds: { longFrom: 10 }, behindEveryMs: 10 });
    const short = await openPostgresStorage(address);
    const root = span({ session_id: 's', name: 'root' });
    const { trace_id } = root;
    const steps = Array.from({ length: 60 }, (_, n) =>
      span({ trace_id, parent_id: root.id, name: `step ${n}`, started_at: startedAt(n % 60) }),
    );
    const failed = span({ trace_id, parent_id: root.id, status: 'error', trace_function_key: 'tool' });
    const parts = [[root], ...[0, 1, 2, 3, 4, 5].map((n) => steps.slice(n * 10, n * 10 + 10)), [failed]];
    for (const spans of parts) {
      const batch = { spans, traces: [], receivedAt: NOW };
      await long.spans.ingest('long', batch);
      // The last one comes again, as after an answer that was lost.
      await long.spans.ingest('long', batch);
      await short.spans.ingest('short', batch);
    }
    while ((await queryDatabase(address, 'SELECT 1 FROM long_traces')).length > 0) await sleep(10);
    const look = async ({ spans }: Storage, account: string): Promise<unknown[]> => [
      await spans.listTraces(account, {}, { limit: 9 }),
      await spans.listTraces(account, { status: 'error' }, { limit: 9 }),
      await spans.listTraces(account, { traceFunctionKey: 'tool' }, { limit: 9 }),
      await spans.listTraceFunctionKeys(account),
      await spans.listSessions(account, {}, { limit: 9 }),
      await spans.readMetrics(account, {
        sinceUs: 0,
        untilUs: Number.MAX_SAFE_INTEGER,
        replays: 'exclude',
      }),
    ];
    expect(await look(long, 'long')).toEqual(await look(short, 'short'));
    await long.close();
    await short.close();
  });

  it('give each version of a function its own number', async () => {
    const version = { name: 'f', source: 's', entry: 'e', createdAt: NOW };
    const added = await Promise.all(
      Array.from({ length: 12 }, (_, n) => stores[n % 3]!.functions.addVersion('acc', version)),
    );
    expect(added.sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
  });

  it('never remove the last admin together', async () => {
    const ids = ['m-1', 'm-2', 'm-3'];
    for (const id of ids) {
      const member = { id, accountId: 'acc', name: id, nameKey: id, role: 'admin' as const, createdAt: NOW };
      const hash = Buffer.alloc(32, id);
      await stores[0]!.members.invite(member, { hash, expiresAt: '2999-01-01T00:00:00.000000Z' }, 9);
      await stores[0]!.members.join(hash, Buffer.alloc(32, `code ${id}`), NOW);
    }
    const changes = await Promise.all(ids.map((id, n) => stores[n]!.members.remove('acc', id)));
    expect(changes.sort()).toEqual(['done', 'done', 'last_admin']);
    expect(await stores[0]!.members.list('acc')).toHaveLength(1);
  });

  it('use the latest score, whichever collector stored it', async () => {
    const score = (n: number) => ({
      id: `s-${n}`,
      trace_id: 't',
      name: 'helpful',
      value: n,
      author: { kind: 'person' as const, name: 'ann' },
      created_at: `2026-01-31T12:00:${10 + n}.000000Z`,
    });
    await Promise.all([3, 1, 5, 2, 4, 0].map((n) => stores[n % 3]!.scores.add('acc', [score(n)])));
    const { scores } = await stores[0]!.scores.list('acc', {}, { limit: 9 });
    expect(scores.map(({ id }) => id)).toEqual(['s-5']);
  });

  it('store all of many large requests for scores, whose transactions conflict', async () => {
    const score = (id: string) => ({
      id,
      trace_id: id,
      name: 'helpful',
      value: 1,
      created_at: NOW,
      author: { kind: 'person' as const, name: 'ann' },
    });
    const requests = Array.from({ length: 24 }, (_, n) =>
      Array.from({ length: 150 }, (_unused, m) => score(`s-${n}-${m}`)),
    );
    await Promise.all(requests.map((scores, n) => stores[n % 3]!.scores.add('acc', scores)));
    const sql = 'SELECT count(*)::int AS n FROM scores WHERE is_latest = 1';
    expect(await queryDatabase(address, sql)).toEqual([{ n: requests.flat().length }]);
  });

  it('leave no deleted value in a file once no transaction reads it', async () => {
    const client = new Client({ connectionString: address });
    await client.connect();
    const countFiles = async (text: string): Promise<number> => {
      await client.query('CHECKPOINT');
      const { rows } = await client.query<{ n: string }>(
        `SELECT count(*) AS n FROM pg_class WHERE relkind IN ('r', 'i', 't') AND relnamespace <> 'pg_catalog'::regnamespace
          AND strpos(encode(pg_read_binary_file(pg_relation_filepath(oid)), 'escape'), $1) > 0`,
        [text],
      );
      return Number(rows[0]?.n);
    };
    const score = (trace_id: string, n: number) => ({
      id: `${trace_id}-${n}`,
      trace_id,
      name: 'helpful',
      value: n,
      explanation: `said ${trace_id}`,
      author: { kind: 'person' as const, name: `ann ${n}` },
      created_at: NOW,
    });
    const numbers = Array.from({ length: 50 }, (_, n) => n);
    const all = numbers.flatMap((n) => [score('gone', n), score('kept', n)]);
    await stores[0]!.scores.add('acc', all);
    expect(await countFiles('said gone')).toBeGreaterThan(0);
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await client.query('SELECT * FROM scores');
    await stores[0]!.scores.deleteOfTraces('acc', ['gone'], { forgetAt: '2999-01-01T00:00:00.000000Z' });
    expect(await stores[1]!.scrub()).toBe('a transaction that reads deleted rows');
    await client.query('COMMIT');
    while ((await stores[1]!.scrub()) !== undefined) await sleep(10);
    expect(await countFiles('said gone')).toBe(0);
    expect(await countFiles('said kept')).toBeGreaterThan(0);
    await client.end();
  });
});
