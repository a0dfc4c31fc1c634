import Database from 'libsql';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Checkpointer } from './checkpointer.js';
import { Connection } from './connection.js';

const LONG_READ = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
  SELECT count(*) FROM n CROSS JOIN (SELECT max(n) FROM t)`;
const MIB = 1024 * 1024;

describe('the log of a database', () => {
  const directory = mkdtempSync(join(tmpdir(), 'dacapo-log-'));
  const path = join(directory, 'log.db');
  let writer: Connection;
  let checkpointer: Checkpointer;

  const logSize = (): number => statSync(`${path}-wal`).size;
  const write = (text = 'x'.repeat(1_000_000)) =>
    writer.write([{ sql: 'INSERT INTO t(x) VALUES (?)', rows: [[text]] }]);
  const until = async (isMet: () => Promise<boolean> | boolean): Promise<void> => {
    while (!(await isMet())) await sleep(20);
  };
  /** Reads as of now until it is ended. */
  const holdLog = (): (() => void) => {
    const reader = new Database(path);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM t').all([]);
    return () => {
      reader.exec('ROLLBACK');
      reader.close();
    };
  };

  beforeAll(async () => {
    const pragmas = ['journal_mode = WAL', 'wal_autocheckpoint = 0', 'secure_delete = ON'];
    const onWritten = (bytes: number): void => {
      checkpointer.wake(bytes);
    };
    writer = await Connection.open({ path, pragmas, onWritten });
    checkpointer = await Checkpointer.open({ path }, writer);
    await writer.write([{ sql: 'CREATE TABLE t(n INTEGER PRIMARY KEY, x TEXT) STRICT', rows: [[]] }]);
  });

  afterAll(async () => {
    await checkpointer.stop();
    await writer.close();
    rmSync(directory, { recursive: true });
  });

  it('stays short though there is always one who reads', async () => {
    const readers = await Promise.all([1, 2, 3].map(() => Connection.open({ path, pragmas: [] })));
    let isOver = false;
    const reading = readers.map(async (reader) => {
      while (!isOver) await reader.all(LONG_READ);
    });
    let most = 0;
    for (let writes = 0; writes < 280; writes++) {
      await write();
      most = Math.max(most, logSize());
    }
    isOver = true;
    await Promise.all(reading);
    await Promise.all(readers.map((reader) => reader.close()));
    expect(most).toBeLessThan(200 * MIB);
  });

  it('is not emptied while one reads as of an earlier moment, and no write waits for that', async () => {
    await write('to be erased');
    const letGo = holdLog();
    await writer.write([{ sql: 'DELETE FROM t', rows: [[]] }]);
    expect(await checkpointer.empty()).toBe(false);
    const trying = checkpointer.empty();
    await write('written meanwhile');
    expect(await trying).toBe(false);
    expect(
      readFileSync(path).includes('to be erased') || readFileSync(`${path}-wal`).includes('to be erased'),
    ).toBe(true);
    letGo();
    await until(() => checkpointer.empty());
    expect(readFileSync(path).includes('to be erased')).toBe(false);
    expect(readFileSync(`${path}-wal`).includes('to be erased')).toBe(false);
  });
});
