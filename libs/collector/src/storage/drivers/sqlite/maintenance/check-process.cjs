'use strict';

/**
 * Looks through a database for damage and prints what it finds, in a process of its own: SQLite cannot be stopped in the middle,
 * a process can. It ends with whoever started it, whose end closes its input.
 */
const { setPriority } = require('node:os');
const { isMainThread, parentPort, Worker, workerData } = require('node:worker_threads');

const FINDINGS = 20;

if (isMainThread) {
  setPriority(19);
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
    return db
      .prepare(`PRAGMA ${pragma}(${FINDINGS})`)
      .all([])
      .map((row) => String(Object.values(row)[0]))
      .filter((finding) => finding !== 'ok');
  } catch (error) {
    return [String(error.message)];
  } finally {
    db.close();
  }
}
