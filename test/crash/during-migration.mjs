/** Kills a process that upgrades a database. The next one must finish the upgrade without repeating a step. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NEWER, STEPS_OF_A_SPAN } from './upgrade.mjs';

const require = createRequire(import.meta.url);
const DIST = '../../libs/collector/dist/cjs';
const { SystemClock } = require(`${DIST}/clock.js`);
const { Connection } = require(`${DIST}/storage/engines/sqlite/connection.js`);
const { openSqliteStorage } = require(`${DIST}/storage/engines/sqlite/open-sqlite-storage.js`);

const SPANS = 20_000;
/** Each kill happens within the duration of the last complete upgrade. */
const FIRST_LONGEST_MS = 500;
const UPGRADE = fileURLToPath(new URL('upgrade.mjs', import.meta.url));

const FILL = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${SPANS})
  INSERT INTO spans(account_id, trace_id, span_id, trace_function_key, name, type, status, started_us, payload_bytes, received_us)
  SELECT 'acc_old', printf('%032x', i / 10), printf('%016x', i), 'old', 'old', 'llm', 'ok', i, 10, i FROM n`;
const FILL_PAYLOADS = `INSERT INTO span_payloads(span_no, is_final, input, output)
  SELECT span_no, 1, '["in"]', '"out"' FROM spans`;

async function withDatabase(dataDir, use) {
  const database = await Connection.open({ path: join(dataDir, 'dacapo.db'), pragmas: [] });
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

async function makeOld(dataDir) {
  await (await openSqliteStorage(dataDir, new SystemClock())).close();
  await withDatabase(dataDir, (database) =>
    database.write([FILL, FILL_PAYLOADS].map((sql) => ({ sql, rows: [[]] }))),
  );
}

const readSchema = (dataDir) =>
  withDatabase(dataDir, async (database) => {
    const [{ schema }] = await database.all('SELECT max(id) AS schema FROM schema_migrations');
    return schema;
  });

const findDamage = (dataDir) =>
  withDatabase(dataDir, async (database) => {
    const [{ integrity_check: finding }] = await database.all('PRAGMA integrity_check');
    return finding === 'ok' ? undefined : finding;
  });

const countUpgraded = (dataDir) =>
  withDatabase(dataDir, async (database) => {
    const [{ spans }] = await database.all(
      `SELECT count(*) AS spans FROM spans JOIN span_payloads USING (span_no) WHERE steps = ${STEPS_OF_A_SPAN}`,
    );
    return spans;
  });

async function upgrade(dataDir, killAfterMs) {
  const child = fork(UPGRADE, [dataDir], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  if (killAfterMs !== undefined) {
    // Node's own start takes longer than an upgrade on a machine with other work.
    await once(child, 'message');
    await Promise.race([exited, wait(killAfterMs)]);
    child.kill('SIGKILL');
  }
  const [code] = await exited;
  return code;
}

export async function duringMigration({ dataDir, random, kills, report }) {
  const old = mkdtempSync(join(tmpdir(), 'dacapo-old-'));
  await makeOld(old);
  const problems = [];
  const reached = new Map();
  let longestMs = FIRST_LONGEST_MS;
  for (let kill = 1; kill <= kills; kill++) {
    rmSync(dataDir, { recursive: true, force: true });
    cpSync(old, dataDir, { recursive: true });
    await upgrade(dataDir, random.below(longestMs));
    const schema = await readSchema(dataDir);
    reached.set(schema, (reached.get(schema) ?? 0) + 1);
    const begun = performance.now();
    const code = await upgrade(dataDir);
    longestMs = Math.max(FIRST_LONGEST_MS, performance.now() - begun);
    if (code !== 0) problems.push(`the upgrade after a kill exited with ${code}`);
    const newest = await readSchema(dataDir);
    if (newest !== NEWER.length) problems.push(`the schema is ${newest}, not ${NEWER.length}`);
    const spans = await countUpgraded(dataDir);
    if (spans !== SPANS) problems.push(`${spans} of ${SPANS} spans had each step once`);
    const damage = await findDamage(dataDir);
    if (damage !== undefined) problems.push(damage);
    report(kill, `schemas at the kill: ${JSON.stringify(Object.fromEntries(reached))}`);
  }
  // The check after each scenario only supports released schemas.
  rmSync(dataDir, { recursive: true, force: true });
  cpSync(old, dataDir, { recursive: true });
  rmSync(old, { recursive: true, force: true });
  return problems;
}
