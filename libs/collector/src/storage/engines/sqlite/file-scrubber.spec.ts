import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../../../test/support/temporary-directory.js';
import { Checkpointer } from './checkpointer.js';
import { Connection } from './connection.js';
import { FileScrubber } from './file-scrubber.js';
import { PacedDeletes } from './paced-deletes.js';

const MARKER = 'Zq7marker';

describe('FileScrubber', () => {
  const path = join(temporaryDirectory(), 'dacapo.db');
  let writer: Connection;
  let checkpointer: Checkpointer;

  beforeAll(async () => {
    const pragmas = ['journal_mode = WAL', 'secure_delete = ON', 'wal_autocheckpoint = 0'];
    writer = await Connection.open({ path, pragmas });
    checkpointer = await Checkpointer.open({ path }, writer);
  });

  afterAll(async () => {
    await checkpointer.stop();
    await writer.close();
  });

  /** Rows of changing lengths, most of which are deleted: SQLite moves the others between pages. */
  async function fill(): Promise<void> {
    await writer.write([
      { sql: 'CREATE TABLE texts(n INTEGER PRIMARY KEY, is_kept INTEGER, body TEXT) STRICT', rows: [[]] },
      { sql: 'CREATE INDEX texts_by_body ON texts(is_kept, body)', rows: [[]] },
    ]);
    for (let round = 0; round < 10; round++) {
      const rows = Array.from({ length: 160 }, (_, n) => {
        const isKept = n >= 150;
        const length = (n * 7919 + round * 104_729) % 300;
        return [isKept, `${isKept ? 'kept' : MARKER}-${round}-${n}${'x'.repeat(length)}`];
      });
      await writer.write([{ sql: 'INSERT INTO texts(is_kept, body) VALUES (?, ?)', rows }]);
      const sql = 'DELETE FROM texts WHERE n IN (SELECT n FROM texts WHERE is_kept = 0 LIMIT ?)';
      for (let left = 150; left > 0; left -= 37) await writer.write([{ sql, rows: [[37]] }]);
    }
  }

  it('removes the copies of deleted rows that SQLite leaves in unused space of pages, and nothing else', async () => {
    await fill();
    expect(await checkpointer.empty()).toBe(true);
    expect(readFileSync(path).includes(MARKER)).toBe(true);
    const rows = await writer.all('SELECT * FROM texts');
    expect(rows).toHaveLength(100);

    const scrubber = new FileScrubber(checkpointer, new PacedDeletes(writer, writer, writer), writer);
    expect(await scrubber.scrub()).toBeUndefined();

    expect(readFileSync(path).includes(MARKER)).toBe(false);
    expect(await writer.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    expect(await writer.all('SELECT * FROM texts')).toEqual(rows);
  });
});
