import Database from 'libsql';
import { join } from 'node:path';

/**
 * The baseline: the same JSON lines, one row each, in one table with one key, in one transaction a batch. No HTTP, no
 * parsing, no indexes, no other thread. Gives seconds.
 */
export function insertRaw(directory, batches) {
  const db = new Database(join(directory, 'raw.db'));
  db.prepare('PRAGMA journal_mode = WAL').all([]);
  db.prepare('PRAGMA synchronous = FULL').all([]);
  db.exec('CREATE TABLE spans(id INTEGER PRIMARY KEY, line TEXT NOT NULL) STRICT');
  const insert = db.prepare('INSERT INTO spans(line) VALUES (?)');
  const lines = batches.map((batch) => batch.split('\n'));
  const start = performance.now();
  for (const batch of lines) {
    db.exec('BEGIN');
    for (const line of batch) insert.run([line]);
    db.exec('COMMIT');
  }
  const seconds = (performance.now() - start) / 1000;
  db.close();
  return seconds;
}
