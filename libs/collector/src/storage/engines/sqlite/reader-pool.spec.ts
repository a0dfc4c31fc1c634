import Database from 'libsql';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StorageError } from '../../../errors.js';
import { Connection } from './connection.js';
import { ReaderPool } from './reader-pool.js';

const directory = mkdtempSync(join(tmpdir(), 'dacapo-readers-'));
const path = join(directory, 'data.db');
/** A database without a log: its tables cannot be read while another connection holds it. */
const heldPath = join(directory, 'held.db');
let writer: Connection;
let readers: ReaderPool;

/** Waits while the database is held. `SELECT 1` reads no table and never waits. */
const SLOW = 'SELECT count(*) FROM t';
/** Takes its time: a connection cannot be opened while the database is held. */
const LONG =
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT max(i) FROM n';
const TOO_MUCH = LONG.replace('max(i)', "i, 'x' || i");

/** A pool with all its connections open, and a function that lets slow reads end. */
async function holdDatabase(size: number): Promise<{ pool: ReaderPool; release: () => void }> {
  const pool = await ReaderPool.open(heldPath, size, 1024);
  while (pool.connections.length < size)
    await Promise.all(Array.from({ length: size }, () => pool.all('SELECT 1')));
  const holder = new Database(heldPath);
  holder.exec('BEGIN EXCLUSIVE');
  const release = (): void => {
    holder.exec('ROLLBACK');
    holder.close();
  };
  return { pool, release };
}

beforeAll(async () => {
  const held = new Database(heldPath);
  held.exec('CREATE TABLE t(n INTEGER PRIMARY KEY) STRICT');
  held.close();
  writer = await Connection.open({ path, pragmas: ['journal_mode = WAL'] });
  await writer.write([{ sql: 'CREATE TABLE t(n INTEGER PRIMARY KEY) STRICT', rows: [[]] }]);
  readers = await ReaderPool.open(path, 3, 1024);
});

afterAll(async () => {
  await readers.close();
  await writer.close();
  rmSync(directory, { recursive: true, maxRetries: 10 });
});

const write = (n: number) => writer.write([{ sql: 'INSERT INTO t(n) VALUES (?)', rows: [[n]] }]);
const read = (n: number) => readers.all('SELECT n FROM t WHERE n = ?', [n]);

describe('a pool of readers', () => {
  it('answers others during a slow read', async () => {
    const { pool, release } = await holdDatabase(3);
    const slow = pool.all(SLOW);
    expect(await Promise.all(Array.from({ length: 5 }, () => pool.all('SELECT 1')))).toHaveLength(5);
    release();
    expect(await slow).toHaveLength(1);
    await pool.close();
  });

  it('answers an account while another has more slow reads than there are connections', async () => {
    const { pool, release } = await holdDatabase(2);
    const slow = Array.from({ length: 4 }, () => pool.of('slow').all(SLOW));
    expect(await pool.of('other').all('SELECT 1')).toHaveLength(1);
    release();
    expect(await Promise.all(slow)).toHaveLength(4);
    await pool.close();
  });

  it('reads earlier writes with any reader', async () => {
    for (let n = 1; n <= 10; n++) {
      await write(n);
      expect(await Promise.all([read(n), read(n), read(n), read(n)])).toEqual(Array(4).fill([{ n }]));
    }
  });

  it('opens a connection when none is free, up to the maximum', async () => {
    const pool = await ReaderPool.open(path, 2, 1024);
    for (let n = 0; n < 3; n++) await pool.all('SELECT 1');
    expect(pool.connections).toHaveLength(1);
    const slow = pool.all(LONG);
    await pool.all('SELECT 1');
    expect(pool.connections).toHaveLength(2);
    await Promise.all(Array.from({ length: 6 }, () => pool.all('SELECT 1')));
    expect(pool.connections).toHaveLength(2);
    await slow;
    await pool.close();
  });

  it('closes only after a connection that is being opened has answered its caller', async () => {
    const pool = await ReaderPool.open(path, 2, 1024);
    const answers = [pool.all('SELECT 1 AS n'), pool.all('SELECT 1 AS n')];
    await pool.close();
    expect(await Promise.all(answers)).toEqual([[{ n: 1 }], [{ n: 1 }]]);
    await expect(pool.all('SELECT 1')).rejects.toThrow(StorageError);
  });

  it('writes nothing', async () => {
    await expect(readers.all('DELETE FROM t')).rejects.toThrow(StorageError);
  });

  it('does not open where nothing can be opened', async () => {
    await expect(ReaderPool.open(directory, 2, 1024)).rejects.toThrow(StorageError);
  });

  it('gives a reopened reader to a waiting call while the others work', async () => {
    const pool = await ReaderPool.open(path, 2, 1024, { heapMib: 16 });
    const done: string[] = [];
    const ends = expect(pool.all(TOO_MUCH)).rejects.toThrow('out of memory');
    const slow = pool.all(LONG.replace('1000000', '8000000')).then(() => done.push('slow'));
    const waits = pool.all('SELECT 1').then(() => done.push('waits'));
    await Promise.all([ends, slow, waits]);
    expect(done).toEqual(['waits', 'slow']);
    await pool.close();
  });

  it('reopens its readers after each has exited, and answers with the others until then', async () => {
    const mortal = await ReaderPool.open(path, 2, 1024, { heapMib: 16, pausesMs: [60_000, 0] });
    const tooMuch = mortal.all(TOO_MUCH);
    await expect(tooMuch).rejects.toThrow('out of memory');
    const [one, other] = mortal.connections;
    expect([one?.ended, other?.ended].filter((ended) => ended !== undefined)).toHaveLength(1);
    expect(await Promise.all([1, 1, 1, 1].map((n) => mortal.all('SELECT ? AS n', [n])))).toHaveLength(4);
    await mortal.close();
  });
});
