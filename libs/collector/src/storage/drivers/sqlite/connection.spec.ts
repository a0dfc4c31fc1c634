import Database from 'libsql';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
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
  it('runs a statement once for each row, and gives what RETURNING gives', async () => {
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

  it('takes no other along when it fails, though both share a commit', async () => {
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
  it('reads what was written before, in the order of the calls', async () => {
    const written = connection.write([insert(1)]);
    const read = numbers();
    await written;
    expect(await read).toEqual([1]);
  });

  it('names what SQLite says', async () => {
    await expect(connection.all('SELECT * FROM missing')).rejects.toThrow(/no such table: missing/);
  });

  it('finishes what was asked for before it closes, and refuses what is asked for after', async () => {
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

  it('does not open while another holds its lock', async () => {
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

describe('the log of a database', () => {
  const LOG_BYTES = 1024 * 1024;
  const LONG_READ = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
    SELECT count(*) FROM n CROSS JOIN (SELECT max(n) FROM t)`;
  const path = join(directory, 'log.db');
  const logSize = (): number => statSync(`${path}-wal`).size;
  const write = (writer: Connection) =>
    writer.write([{ sql: 'INSERT INTO t(x) VALUES (?)', rows: [['x'.repeat(100_000)]] }]);
  let writer: Connection;

  beforeAll(async () => {
    const pragmas = ['journal_mode = WAL', 'wal_autocheckpoint = 50'];
    writer = await Connection.open({ path, pragmas, logBytes: LOG_BYTES });
    await writer.write([{ sql: 'CREATE TABLE t(n INTEGER PRIMARY KEY, x TEXT) STRICT', rows: [[]] }]);
  });

  afterAll(() => writer.close());

  it('begins anew though there is always one who reads', async () => {
    const readers = await Promise.all([1, 2, 3, 4].map(() => Connection.open({ path, pragmas: [] })));
    let isOver = false;
    const read = async (reader: Connection): Promise<void> => {
      while (!isOver) await reader.all(LONG_READ);
    };
    const reading = readers.map(read);
    let most = 0;
    for (let writes = 0; writes < 60; writes++) {
      await write(writer);
      most = Math.max(most, logSize());
    }
    isOver = true;
    await Promise.all(reading);
    await Promise.all(readers.map((reader) => reader.close()));
    expect(most).toBeLessThan(3 * LOG_BYTES);
  });

  it('grows while one reads as of an earlier moment, who hinders no write, and no more after that', async () => {
    const long = new Database(path);
    long.exec('BEGIN');
    long.prepare('SELECT count(*) FROM t').all([]);
    while (logSize() < 2 * LOG_BYTES) await write(writer);
    long.exec('ROLLBACK');
    long.close();
    const grown = logSize();
    for (let writes = 0; writes < 80; writes++) await write(writer);
    expect(logSize()).toBeLessThan(3 * grown);
  });
});

describe('a connection whose thread ends', () => {
  /** Rows that no thread of 16 MiB can hold. */
  const TOO_MUCH =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT i, 'x' || i AS x FROM n";
  const told: string[] = [];
  const tell = (message: string): void => {
    told.push(message);
  };
  const options = {
    pragmas: ['journal_mode = WAL'],
    heapMib: 16,
    pausesMs: [0, 0],
    logger: { info: tell, warn: tell, error: tell },
  };

  beforeEach(() => {
    told.length = 0;
  });

  it('refuses what the thread was given, answers what is asked next, and has all that was written', async () => {
    const lockPath = join(directory, 'kept.lock');
    const mortal = await Connection.open({ ...options, lockPath, path: join(directory, 'mortal.db') });
    await mortal.write([{ sql: 'CREATE TABLE t(n INTEGER PRIMARY KEY) STRICT', rows: [[]] }, insert(1)]);
    await mortal.set('max_page_count = 100');
    const fatal = mortal.all(TOO_MUCH);
    const behind = mortal.write([insert(2)]);
    await expect(fatal).rejects.toThrow('a thread of the database ended: it was out of memory');
    await expect(behind).rejects.toThrow('a thread of the database ended');
    expect(mortal.ended).toBeInstanceOf(StorageError);

    expect(await mortal.all('SELECT n FROM t')).toEqual([{ n: 1 }]);
    await mortal.write([insert(3)]);
    expect(mortal.ended).toBeUndefined();
    expect(await mortal.all('PRAGMA max_page_count')).toEqual([{ max_page_count: 100 }]);
    await expect(Connection.open({ ...options, lockPath, path: ':memory:' })).rejects.toThrow(StorageError);
    expect(told).toEqual([
      expect.stringMatching(/^Storage failed: a thread of the database ended: it was out of memory/),
      'the thread of the database is open again',
    ]);
    await mortal.close();
  });

  it('is lost when it does not open again, and says so once', async () => {
    const gone = mkdtempSync(join(tmpdir(), 'dacapo-gone-'));
    const lost: unknown[] = [];
    const onLost = (error: unknown): void => void lost.push(error);
    const mortal = await Connection.open({ ...options, onLost, path: join(gone, 'data.db') });
    const fatal = mortal.all(TOO_MUCH);
    rmSync(gone, { recursive: true });
    await expect(fatal).rejects.toThrow('out of memory');
    await expect(mortal.all('SELECT 1')).rejects.toMatchObject({ code: 'COLLECTOR_DATABASE_THREAD_LOST' });
    await expect(mortal.write([insert(1)])).rejects.toMatchObject({ code: 'COLLECTOR_DATABASE_THREAD_LOST' });
    expect(lost).toEqual([mortal.ended]);
    expect(told).toHaveLength(2);
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
