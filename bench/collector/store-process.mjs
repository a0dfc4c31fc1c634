/** Writes spans through the store's port (`port`), or their lines to a table with one key (`raw`), and reports the cost. */
import Database from 'libsql';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { makeSpans, toBatches } from './records.mjs';

const [kind, directory, count, batchSize, writers] = process.argv.slice(2);
const spans = makeSpans(Number(count));
const stored = kind === 'raw' ? await insertRaw() : await putThroughPort();
process.send({ ...stored, rssMb: process.memoryUsage.rss() / 1024 / 1024 });
process.disconnect();

/** No HTTP, parsing, indexes or threads: one row per line, one transaction per batch. */
async function insertRaw() {
  const batches = toBatches(spans, Number(batchSize)).map((batch) => batch.split('\n'));
  const db = new Database(join(directory, 'raw.db'));
  db.prepare('PRAGMA journal_mode = WAL').all([]);
  db.prepare('PRAGMA synchronous = FULL').all([]);
  db.exec('CREATE TABLE spans(id INTEGER PRIMARY KEY, line TEXT NOT NULL) STRICT');
  const insert = db.prepare('INSERT INTO spans(line) VALUES (?)');
  const measured = await measure(() => {
    for (const batch of batches) {
      db.exec('BEGIN');
      for (const line of batch) insert.run([line]);
      db.exec('COMMIT');
    }
  });
  db.close();
  return measured;
}

async function putThroughPort() {
  const { openSqliteStorage } = createRequire(import.meta.url)(
    '../../libs/collector/dist/cjs/storage/engines/sqlite/open-sqlite-storage.js',
  );
  const storage = await openSqliteStorage(directory, { nowUs: () => Date.now() * 1000 });
  const receivedAt = '2026-01-31T12:00:00.000000Z';
  const batches = [];
  for (let start = 0; start < spans.length; start += Number(batchSize)) {
    batches.push({ spans: spans.slice(start, start + Number(batchSize)), traces: [], receivedAt });
  }
  const put = async () => {
    for (let batch = batches.pop(); batch !== undefined; batch = batches.pop()) {
      await storage.spans.ingest('acc_bench', batch);
    }
  };
  const measured = await measure(() => Promise.all(Array.from({ length: Number(writers) }, put)));
  await storage.close();
  return measured;
}

async function measure(work) {
  const begun = process.cpuUsage();
  const start = performance.now();
  await work();
  const { user, system } = process.cpuUsage(begun);
  return { seconds: (performance.now() - start) / 1000, cpuSeconds: (user + system) / 1e6 };
}
