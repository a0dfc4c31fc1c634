import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { temporaryDirectory } from '../../../../../test/support/temporary-directory.js';
import { Connection } from '../connection.js';
import { findDamage } from './check-database.js';

/** Hours of checking: SQLite tries each row's constraint, which takes milliseconds. */
async function slowToCheck(): Promise<string> {
  const path = join(temporaryDirectory(), 'slow.db');
  const database = await Connection.open({
    path,
    pragmas: ['journal_mode = WAL', 'ignore_check_constraints = ON'],
  });
  const slow = `length(replace(hex(zeroblob(1000000 + id)), '0', '1')) > 0`;
  await database.write([
    { sql: `CREATE TABLE things(id INTEGER PRIMARY KEY, CHECK (${slow}))`, rows: [[]] },
    {
      sql: `WITH RECURSIVE n(id) AS (VALUES (1) UNION ALL SELECT id + 1 FROM n WHERE id < 1000000) INSERT INTO things SELECT id FROM n`,
      rows: [[]],
    },
  ]);
  await database.close();
  return path;
}

describe('the check of a database', () => {
  let path: string;
  let started: ChildProcess | undefined;
  beforeAll(async () => {
    path = await slowToCheck();
  });
  afterEach(() => started?.kill('SIGKILL'));

  it('ends when the process that started it is killed', async () => {
    const check = join(__dirname, 'check-process.cjs');
    const program = `
      require('node:child_process')
        .spawn(process.execPath, ${JSON.stringify([check, path, 'quick_check'])}, { stdio: ['pipe', 'inherit', 'inherit'] })
        .once('spawn', () => console.log('checking'));`;
    started = spawn(process.execPath, ['-e', program]);
    await once(started.stdout!, 'data');
    // Comes when all who could write to its output have ended.
    const closed = once(started, 'close');
    started.kill('SIGKILL');
    expect(await closed).toEqual([null, 'SIGKILL']);
  });

  it('ends early when it is aborted', async () => {
    const ending = new AbortController();
    const found = findDamage(path, { signal: ending.signal });
    ending.abort();
    await expect(found).rejects.toThrow('the database check ended early');
  });
});
