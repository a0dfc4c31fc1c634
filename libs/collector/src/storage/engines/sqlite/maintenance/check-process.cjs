'use strict';

/**
 * Checks a database for damage and prints what it finds. It is a separate process, because SQLite cannot be stopped in the middle. It
 * ends with its parent, whose end closes its input.
 */
const { constants, setPriority } = require('node:os');
const { isMainThread, parentPort, Worker, workerData } = require('node:worker_threads');

const FINDINGS = 20;

const MISSING_PARTS = `SELECT count(*) AS n FROM span_payloads s, json_each(s.parts) u
  WHERE s.parts IS NOT NULL AND NOT EXISTS (SELECT 1 FROM payload_parts p WHERE p.part_no = u.value)`;
const UNUSED_PARTS = `SELECT count(*) AS n FROM payload_parts p
  WHERE NOT EXISTS (SELECT 1 FROM payload_part_uses u WHERE u.part_no = p.part_no AND u.uses > 0)`;
/** Compares totals, because comparing each part would need a sort. */
const MISCOUNTED_USES = `SELECT (SELECT coalesce(sum(uses), 0) FROM payload_part_uses) - (
  SELECT coalesce(sum((SELECT count(DISTINCT value) FROM json_each(parts))), 0) FROM span_payloads WHERE parts IS NOT NULL) AS n`;

if (isMainThread) {
  // Not the lowest priority, because the log grows while the check reads its snapshot.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL')).resume();
  const [, program, path, pragma] = process.argv;
  new Worker(program, { workerData: { path, pragma } }).once('message', (findings) => {
    process.stdout.write(JSON.stringify(findings), () => process.exit());
  });
} else {
  parentPort.postMessage(look(workerData));
}

function look({ path, pragma }) {
  const Database = require('libsql');
  const db = new Database(path);
  try {
    db.prepare('PRAGMA query_only = ON').all([]);
    const findings = db
      .prepare(`PRAGMA ${pragma}(${FINDINGS})`)
      .all([])
      .map((row) => String(Object.values(row)[0]))
      .filter((finding) => finding !== 'ok');
    return findings.length > 0 ? findings : lookForParts(db, pragma === 'integrity_check');
  } catch (error) {
    return [String(error.message)];
  } finally {
    db.close();
  }
}

/** Unused parts take space but do no harm, so only the whole check looks for them. */
function lookForParts(db, isWhole) {
  const isThere = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'payload_parts'").all([]).length > 0;
  if (!isThere) return [];
  // One snapshot, while others write.
  db.exec('BEGIN');
  const count = (sql) => db.prepare(sql).all([])[0].n;
  const missing = count(MISSING_PARTS);
  const unused = isWhole ? count(UNUSED_PARTS) : 0;
  const miscounted = isWhole && missing + unused === 0 ? count(MISCOUNTED_USES) : 0;
  db.exec('ROLLBACK');
  return [
    ...(missing > 0 ? [`${missing} parts of payloads are missing`] : []),
    ...(unused > 0 ? [`${unused} parts of payloads are used by none`] : []),
    ...(miscounted !== 0 ? [`uses of parts of payloads are counted ${miscounted} times too often`] : []),
  ];
}
