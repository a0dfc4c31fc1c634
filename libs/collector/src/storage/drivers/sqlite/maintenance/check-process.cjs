'use strict';

/**
 * Looks through a database for damage and prints what it finds, in a process of its own: SQLite cannot be stopped in the middle,
 * a process can.
 */
const { setPriority } = require('node:os');
const Database = require('libsql');

const FINDINGS = 20;

setPriority(19);
const db = new Database(process.argv[2]);
db.prepare('PRAGMA query_only = ON').all([]);
let findings;
try {
  findings = db
    .prepare(`PRAGMA ${process.argv[3]}(${FINDINGS})`)
    .all([])
    .map((row) => String(Object.values(row)[0]))
    .filter((finding) => finding !== 'ok');
} catch (error) {
  findings = [String(error.message)];
}
process.stdout.write(JSON.stringify(findings));
