import type { MetaStore } from '@dacapo/collector/storage';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { openPostgresStorage } from '../src/storage/engines/postgres/open-postgres-storage.js';
import { PostgresServer } from './support/postgres-server.js';

const NOW = '2026-01-31T12:00:00.000000Z';

describe('several collectors on one PostgreSQL', () => {
  let server: PostgresServer;
  let address: string;
  let stores: MetaStore[];
  let closeAll: (() => Promise<void>)[];

  beforeAll(async () => {
    server = await PostgresServer.start();
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
      ...{ id: `s-${n}`, trace_id: 't', name: 'helpful', value: n },
      author: { kind: 'person' as const, name: 'ann' },
      created_at: `2026-01-31T12:00:${10 + n}.000000Z`,
    });
    await Promise.all([3, 1, 5, 2, 4, 0].map((n) => stores[n % 3]!.scores.add('acc', [score(n)])));
    const { scores } = await stores[0]!.scores.list('acc', {}, { limit: 9 });
    expect(scores.map(({ id }) => id)).toEqual(['s-5']);
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
      ...{ id: `${trace_id}-${n}`, trace_id, name: 'helpful', value: n, explanation: `said ${trace_id}` },
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
