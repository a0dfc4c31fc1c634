'use strict';

/**
 * Runs statements and methods of stores on one SQLite connection in its own thread. It knows no schema.
 *
 * Calls of one account run in order, and accounts take turns. Waiting writes share one transaction (group commit) and are answered after
 * it. A failed write does not affect the others. A method awaits only its statements, which run synchronously, so no other message is
 * handled in between.
 */
const { openSync, writeSync } = require('node:fs');
const { parentPort, receiveMessageOnPort, workerData } = require('node:worker_threads');
const Database = require('libsql');

const WRITES_IN_A_GROUP = 64;
/** The size of a group while other accounts write. Each waits for at most one group of another. */
const SHARED_GROUP_BYTES = 128 * 1024;
const GROUP_BYTES = 4 * 1024 * 1024;
const BUSY_TIMEOUT_MS = 5000;

const statements = new Map();
/** Waiting calls by account. The first account is next. */
const waiting = new Map();
let lock;
let db;
let isClosing = false;
let marker;
let markerFile;
let isHandling = false;
/** Runs a method of a store; see `openMethods`. */
let runMethod;

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
  if (workerData.marker !== undefined) mark(workerData.marker);
}

function mark(options) {
  marker = options;
  markerFile ??= openSync(options.path, 'r+');
}

function close() {
  statements.clear();
  db.close();
  lock?.close();
  parentPort.close();
}

/** @returns the outcomes. Ends early after a step that changes nothing although it has `mustChange` */
async function runSteps(steps) {
  const begun = performance.now();
  const outcomes = [];
  for (const step of steps) {
    const outcome = step.call === undefined ? runStatement(step) : await runCall(step.call);
    outcomes.push(outcome);
    if (step.mustChange && outcome.changes === 0) break;
  }
  return { outcomes, tookMs: performance.now() - begun };
}

function runStatement({ sql, rows }) {
  const { statement, returnsRows } = prepare(sql);
  const outcome = { changes: 0, rows: [] };
  for (const row of rows) {
    if (returnsRows) outcome.rows.push(...statement.all(row));
    else outcome.changes += statement.run(row).changes;
  }
  return outcome;
}

async function runCall(call) {
  runMethod ??= require(workerData.methods).openMethods(prepare);
  return { changes: 0, rows: [], result: await runMethod(call) };
}

/** A failed write with methods undoes only itself, unless SQLite has rolled back the transaction. */
async function runWrite({ id, steps }) {
  if (steps.every(({ call }) => call === undefined)) return { id, result: await runSteps(steps) };
  db.exec('SAVEPOINT methods');
  try {
    const result = await runSteps(steps);
    db.exec('RELEASE methods');
    return { id, result };
  } catch (error) {
    if (!db.inTransaction) throw error;
    db.exec('ROLLBACK TO methods');
    db.exec('RELEASE methods');
    return { id, error: describe(error) };
  }
}

/** If a write fails, rolls back its whole group and runs the writes one by one. */
async function runGroup(first) {
  const group = [first];
  try {
    db.exec('BEGIN IMMEDIATE');
    const answers = [];
    let bytes = 0;
    for (let task = first; task !== undefined; task = nextInGroup(group, bytes)) {
      if (task !== first) group.push(task);
      bytes += task.bytes;
      answers.push(await runWrite(task));
    }
    commit(group.length);
    return answers;
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK');
    if (group.length === 1) return [{ id: first.id, error: describe(error) }];
    const answers = [];
    for (const task of group) answers.push(await runAlone(task));
    return answers;
  }
}

async function runAlone(task) {
  try {
    db.exec('BEGIN IMMEDIATE');
    const answer = await runWrite(task);
    commit(1);
    return answer;
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK');
    return { id: task.id, error: describe(error) };
  }
}

/** Takes the next waiting write if it does not delay the commit of the group for long. */
function nextInGroup(group, bytes) {
  takeMessages();
  const [account] = waiting.keys();
  const [next] = waiting.get(account) ?? [];
  if (next?.kind !== 'write' || group.length >= WRITES_IN_A_GROUP) return undefined;
  const isShared = group[0].isShared || waiting.size > 1 || group.some((task) => task.account !== account);
  return bytes + next.bytes > (isShared ? SHARED_GROUP_BYTES : GROUP_BYTES) ? undefined : takeNext();
}

/** Commits the count in the database before the file, so that at the next start the database never has the smaller one. */
function commit(writes) {
  const [counted] = marker === undefined ? [] : prepare(marker.sql).statement.all([writes]);
  db.exec('COMMIT');
  if (counted === undefined) return;
  try {
    writeSync(markerFile, marker.text + String(counted.writes).padStart(16) + '\n', 0);
  } catch {
    // A file that is behind detects fewer losses, but never reports a false one.
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

function put(message) {
  if (message.kind === 'close') {
    isClosing = true;
    return;
  }
  const { account = '' } = message;
  const own = waiting.get(account);
  if (own) own.push(message);
  else waiting.set(account, [message]);
}

function takeMessages() {
  for (let next = receiveMessageOnPort(parentPort); next; next = receiveMessageOnPort(parentPort))
    put(next.message);
}

/** Takes a call of the account whose turn it is, and moves the account to the end. */
function takeNext() {
  const [entry] = waiting;
  if (entry === undefined) return undefined;
  const [account, own] = entry;
  const task = own.shift();
  waiting.delete(account);
  if (own.length > 0) waiting.set(account, own);
  return task;
}

async function handle(message) {
  put(message);
  if (isHandling) return;
  isHandling = true;
  takeMessages();
  for (let task = takeNext(); task !== undefined; task = takeNext()) {
    if (task.kind === 'write') for (const answer of await runGroup(task)) parentPort.postMessage(answer);
    else if (task.kind === 'mark') answerMark(task);
    else answerRead(task);
    takeMessages();
  }
  isHandling = false;
  if (isClosing) close();
}

function answerMark({ id, marker: options }) {
  try {
    mark(options);
    parentPort.postMessage({ id });
  } catch (error) {
    parentPort.postMessage({ id, error: describe(error) });
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
