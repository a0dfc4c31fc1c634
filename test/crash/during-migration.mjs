/** A database of an earlier schema is upgraded by a service that is killed: the next start finishes the upgrade. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Collector } from './collector.mjs';

const require = createRequire(import.meta.url);
const SQLITE = '../../libs/collector/dist/cjs/storage/drivers/sqlite';
const { Connection } = require(`${SQLITE}/connection.js`);
const { MIGRATIONS } = require(`${SQLITE}/migrations/migrate.js`);

/** What version 0.1 wrote. */
const OLD_SCHEMA = 19;
const SPANS = 20_000;
const START_MS = 2500;

const FILL = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${SPANS})
  INSERT INTO spans(account_id, trace_id, span_id, trace_function_key, name, type, status, started_us, payload_bytes, received_us)
  SELECT 'acc_old', printf('%032x', i / 10), printf('%016x', i), 'old', 'old', 'llm', 'ok', i, 10, i FROM n`;
const FILL_PAYLOADS = `INSERT INTO span_payloads(span_no, is_final, input, output)
  SELECT span_no, 1, '["in"]', '"out"' FROM spans`;

async function makeOld(dataDir) {
  const database = await Connection.open({
    path: join(dataDir, 'dacapo.db'),
    pragmas: ['journal_mode = WAL'],
  });
  const once = (sql) => ({ sql, rows: [[]] });
  await database.write([
    once(
      'CREATE TABLE schema_migrations(id INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_us INTEGER NOT NULL) STRICT',
    ),
    ...MIGRATIONS.slice(0, OLD_SCHEMA).flatMap(({ id, name, statements }) => [
      ...statements.map(once),
      { sql: 'INSERT INTO schema_migrations VALUES (?, ?, 0)', rows: [[id, name]] },
    ]),
    once(`INSERT INTO accounts(account_id, name, created_us) VALUES ('acc_old', 'old', 0)`),
    once(FILL),
    once(FILL_PAYLOADS),
  ]);
  await database.close();
}

async function countSpans(dataDir) {
  const database = await Connection.open({ path: join(dataDir, 'dacapo.db'), pragmas: [] });
  const [row] = await database.all(
    'SELECT (SELECT count(*) FROM spans) AS spans, (SELECT max(id) FROM schema_migrations) AS schema',
  );
  await database.close();
  return row;
}

export async function duringMigration({ dataDir, random, kills, report }) {
  const old = mkdtempSync(join(tmpdir(), 'dacapo-old-'));
  await makeOld(old);
  const problems = [];
  let finished = 0;
  for (let kill = 1; kill <= kills; kill++) {
    rmSync(dataDir, { recursive: true, force: true });
    cpSync(old, dataDir, { recursive: true });
    await Collector.startAndKill(dataDir, random.below(START_MS));
    const { schema: reached } = await countSpans(dataDir);
    if (reached === MIGRATIONS.length) finished++;
    const collector = await Collector.start(dataDir);
    if (collector.apiKey !== undefined) problems.push('an upgraded database was taken for a new one');
    await collector.kill('SIGTERM');
    const { spans, schema } = await countSpans(dataDir);
    if (spans !== SPANS) problems.push(`${SPANS} spans were stored, and ${spans} are there`);
    if (schema !== MIGRATIONS.length) problems.push(`the schema is ${schema}`);
    report(kill, `${finished} upgrades were finished before the kill`);
  }
  return problems;
}
