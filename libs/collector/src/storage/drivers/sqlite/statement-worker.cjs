'use strict';

/**
 * Runs statements on one SQLite connection, in a thread of its own. It knows no schema.
 *
 * Writes that wait at the same time share one transaction (group commit) and are answered after it. One that fails
 * takes no other with it.
 */
const { statSync } = require('node:fs');
const { parentPort, receiveMessageOnPort, workerData } = require('node:worker_threads');
const Database = require('libsql');

const WRITES_IN_A_GROUP = 64;
const BUSY_TIMEOUT_MS = 5000;
/** Nothing is written while the log waits for readers to leave it. */
const LOG_TIMEOUT_MS = 1000;

const { logBytes = Infinity } = workerData;
const statements = new Map();
let lock;
let db;
/** The log's size at which it is made to begin anew. */
let nextLogBytes = logBytes;

function prepare(sql) {
  let known = statements.get(sql);
  if (known === undefined) {
    const statement = db.prepare(sql);
    known = { statement, returnsRows: statement.reader };
    statements.set(sql, known);
  }
  return known;
}

function open() {
  if (workerData.lockPath !== undefined) {
    lock = new Database(workerData.lockPath);
    lock.exec('BEGIN EXCLUSIVE');
  }
  db = new Database(workerData.path, { timeout: BUSY_TIMEOUT_MS });
  for (const pragma of workerData.pragmas) db.prepare(`PRAGMA ${pragma}`).all([]);
}

function close() {
  statements.clear();
  db.close();
  lock?.close();
  parentPort.close();
}

/** @returns the steps' outcomes; it ends early after a step that must change something and did not */
function runSteps(steps) {
  const outcomes = [];
  for (const { sql, rows, mustChange } of steps) {
    const { statement, returnsRows } = prepare(sql);
    const outcome = { changes: 0, rows: [] };
    for (const row of rows) {
      if (returnsRows) outcome.rows.push(...statement.all(row));
      else outcome.changes += statement.run(row).changes;
    }
    outcomes.push(outcome);
    if (mustChange && outcome.changes === 0) break;
  }
  return outcomes;
}

/** Until the commit nothing is done: a group in which one fails is undone, and its writes are run one by one. */
function runGroup(tasks) {
  try {
    db.exec('BEGIN IMMEDIATE');
    const answers = tasks.map(({ id, steps }) => ({ id, result: runSteps(steps) }));
    db.exec('COMMIT');
    return answers;
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK');
    if (tasks.length > 1) return tasks.flatMap((task) => runGroup([task]));
    return [{ id: tasks[0].id, error: describe(error) }];
  }
}

/**
 * SQLite begins its log anew only when nobody reads in it, which readers that overlap never let be. What was read since long, as by
 * a check, is waited for in vain: the next try is at twice the size.
 */
function boundLog() {
  if (nextLogBytes === Infinity) return;
  const bytes = statSync(`${workerData.path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes < nextLogBytes) return;
  try {
    db.prepare(`PRAGMA busy_timeout = ${LOG_TIMEOUT_MS}`).all([]);
    const [{ busy }] = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all([]);
    nextLogBytes = busy === 0 ? logBytes : bytes * 2;
    db.prepare(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`).all([]);
  } catch {
    // What hinders it hinders the next write, too, which tells.
    nextLogBytes = bytes * 2;
  }
}

function answerRead({ id, kind, sql, parameters, argument }) {
  try {
    const rows = prepare(sql).statement.all(parameters);
    if (kind === 'read') return parentPort.postMessage({ id, result: rows });
    const { value, transfer } = require(workerData.mapper).mapRows(rows, argument);
    parentPort.postMessage({ id, result: value }, transfer);
  } catch (error) {
    parentPort.postMessage({ id, error: describe(error) });
  }
}

function describe(error) {
  return { message: String(error?.message ?? error), code: error?.code };
}

function nextMessage() {
  return receiveMessageOnPort(parentPort)?.message;
}

function handle(first) {
  let message = first;
  while (message !== undefined) {
    if (message.kind === 'close') {
      close();
      return;
    }
    if (message.kind === 'read' || message.kind === 'map') {
      answerRead(message);
      message = nextMessage();
      continue;
    }
    const group = [];
    while (message?.kind === 'write' && group.length < WRITES_IN_A_GROUP) {
      group.push(message);
      message = nextMessage();
    }
    for (const answer of runGroup(group)) parentPort.postMessage(answer);
    boundLog();
  }
}

try {
  open();
  parentPort.on('message', handle);
  parentPort.postMessage({ ready: true });
} catch (error) {
  parentPort.postMessage({ ready: false, error: describe(error) });
  parentPort.close();
}
