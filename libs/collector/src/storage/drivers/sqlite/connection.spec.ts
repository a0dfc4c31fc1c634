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
