import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StorageError } from '../../../errors.js';
import { Connection } from './connection.js';

const directory = mkdtempSync(join(tmpdir(), 'dacapo-connection-'));
let connection: Connection;
let files = 0;

beforeEach(async () => {
  connection = await Connection.open({
    path: join(directory, `${++files}.db`),
    pragmas: ['journal_mode = WAL'],
  });
  await connection.write([{ sql: 'CREATE TABLE t(n INTEGER PRIMARY KEY, x TEXT) STRICT', rows: [[]] }]);
});

afterEach(() => connection.close());

afterAll(() => {
  rmSync(directory, { recursive: true });
});

const insert = (...values: number[]) => ({
  sql: 'INSERT INTO t(n) VALUES (?)',
  rows: values.map((value) => [value]),
});
const numbers = async (): Promise<number[]> =>
  (await connection.all<{ n: number }>('SELECT n FROM t ORDER BY n')).map(({ n }) => n);

describe('a write', () => {
  it('runs a statement once per row, and returns the rows of RETURNING', async () => {
    const outcomes = await connection.write([
      insert(1, 2),
      { sql: 'DELETE FROM t WHERE n = ? RETURNING n', rows: [[1]] },
    ]);
    expect(outcomes).toEqual([
      { changes: 2, rows: [] },
      { changes: 0, rows: [{ n: 1 }] },
    ]);
  });

  it('is whole or nothing', async () => {
    await expect(connection.write([insert(1), insert(2, 1)])).rejects.toThrow(StorageError);
    expect(await numbers()).toEqual([]);
  });

  it('fails alone when several share a commit', async () => {
    const results = await Promise.allSettled([1, 2, 2, 3].map((value) => connection.write([insert(value)])));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await numbers()).toEqual([1, 2, 3]);
  });

  it('ends after a step that must change something and does not', async () => {
    const steps = [
      { sql: 'UPDATE t SET x = ? WHERE n = 9', rows: [['x']], mustChange: true as const },
      insert(1),
    ];
    expect(await connection.write(steps)).toHaveLength(1);
    expect(await numbers()).toEqual([]);
  });
});

describe('a connection', () => {
  it('reads earlier writes, in the order of the calls', async () => {
    const written = connection.write([insert(1)]);
    const read = numbers();
    await written;
    expect(await read).toEqual([1]);
  });

  it('passes on the message of SQLite', async () => {
    await expect(connection.all('SELECT * FROM missing')).rejects.toThrow(/no such table: missing/);
  });

  it('finishes earlier calls before it closes, and rejects later ones', async () => {
    const writes = Array.from({ length: 200 }, (_, index) => connection.write([insert(index)]));
    const other = connection;
    await connection.close();
    expect(await Promise.all(writes)).toHaveLength(200);
    await expect(other.all('SELECT 1')).rejects.toThrow(/the database is closed/);
    connection = await Connection.open({ path: join(directory, `${files}.db`), pragmas: [] });
    expect(await numbers()).toHaveLength(200);
  });

  it('does not open a file that is no database', async () => {
    const opening = Connection.open({ path: directory, pragmas: [] });
    await expect(opening).rejects.toThrow(StorageError);
  });

  it('does not open while another process holds its lock', async () => {
    const lockPath = join(directory, 'lock');
    const options = { path: join(directory, 'locked.db'), pragmas: [], lockPath };
    const holder = await Connection.open(options);
    await expect(Connection.open(options)).rejects.toMatchObject({
      cause: { code: expect.stringMatching(/^SQLITE_BUSY/) },
    });
    await holder.close();
    await (await Connection.open(options)).close();
  });
});

describe('writes of several accounts', () => {
  const LARGE = 'x'.repeat(200_000);
  const by = (account: string, n: number, x = LARGE) =>
    connection.write([{ sql: 'INSERT INTO t(n, x) VALUES (?, ?)', rows: [[n, x]] }], account);

  it('alternate: the last caller does not wait for all of another account', async () => {
    const order: string[] = [];
    const flood = Array.from({ length: 20 }, (_, n) => by('flood', n).then(() => order.push('flood')));
    const other = by('other', 100, 'small').then(() => order.push('other'));
    await Promise.all([...flood, other]);
    expect(order.at(-1)).toBe('flood');
  });

  it('of one account are done in the order in which they are made', async () => {
    await by('one', 1);
    const changes = ['a', 'b', 'c'].map((x) =>
      connection.write([{ sql: 'UPDATE t SET x = x || ? WHERE n = 1', rows: [[x]] }], 'one'),
    );
    await Promise.all([...changes, ...[2, 3, 4].map((n) => by('two', n))]);
    expect(await connection.all('SELECT substr(x, -3) AS x FROM t WHERE n = 1')).toEqual([{ x: 'abc' }]);
  });
});

describe('a connection whose thread exits', () => {
  /** Rows that no thread of 16 MiB can hold. */
  const TOO_MUCH =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT i, 'x' || i AS x FROM n";
  const messages: string[] = [];
  const addMessage = (message: string): void => {
    messages.push(message);
  };
  const options = {
    pragmas: ['journal_mode = WAL'],
    heapMib: 16,
    pausesMs: [0, 0],
    logger: { info: addMessage, warn: addMessage, error: addMessage },
  };

  beforeEach(() => {
    messages.length = 0;
  });

  it('rejects the calls of the dead thread, answers later ones, and keeps all committed data', async () => {
    const lockPath = join(directory, 'kept.lock');
    const mortal = await Connection.open({ ...options, lockPath, path: join(directory, 'mortal.db') });
    await mortal.write([{ sql: 'CREATE TABLE t(n INTEGER PRIMARY KEY) STRICT', rows: [[]] }, insert(1)]);
    await mortal.set('max_page_count = 100');
    const fatal = mortal.all(TOO_MUCH);
    const behind = mortal.write([insert(2)]);
    await expect(fatal).rejects.toThrow('a database thread ended: it was out of memory');
    await expect(behind).rejects.toThrow('a database thread ended');
    expect(mortal.ended).toBeInstanceOf(StorageError);

    expect(await mortal.all('SELECT n FROM t')).toEqual([{ n: 1 }]);
    await mortal.write([insert(3)]);
    expect(mortal.ended).toBeUndefined();
    expect(await mortal.all('PRAGMA max_page_count')).toEqual([{ max_page_count: 100 }]);
    await expect(Connection.open({ ...options, lockPath, path: ':memory:' })).rejects.toThrow(StorageError);
    expect(messages).toEqual([
      expect.stringMatching(/^Storage failed: a database thread ended: it was out of memory/),
      'the database thread was restarted',
    ]);
    await mortal.close();
  });

  it('fails when it cannot be reopened, and reports that once', async () => {
    const missingFolder = mkdtempSync(join(tmpdir(), 'dacapo-gone-'));
    const lost: unknown[] = [];
    const onLost = (error: unknown): void => void lost.push(error);
    const mortal = await Connection.open({ ...options, onLost, path: join(missingFolder, 'data.db') });
    const fatal = mortal.all(TOO_MUCH);
    rmSync(missingFolder, { recursive: true });
    await expect(fatal).rejects.toThrow('out of memory');
    await expect(mortal.all('SELECT 1')).rejects.toMatchObject({ code: 'COLLECTOR_DATABASE_THREAD_LOST' });
    await expect(mortal.write([insert(1)])).rejects.toMatchObject({ code: 'COLLECTOR_DATABASE_THREAD_LOST' });
    expect(lost).toEqual([mortal.ended]);
    expect(messages).toHaveLength(2);
    await mortal.close();
  });

  it('closes while it is opened again', async () => {
    const mortal = await Connection.open({ ...options, pausesMs: [60_000], path: ':memory:' });
    await expect(mortal.all(TOO_MUCH)).rejects.toThrow('out of memory');
    const waiting = expect(mortal.all('SELECT 1')).rejects.toThrow('out of memory');
    await mortal.close();
    await waiting;
  });
});
