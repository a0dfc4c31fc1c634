import { formatTimestamp } from '@dacapo/protocol';
import { randomUUID } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Connection, Reader } from './connection.js';

/** Acknowledged writes that a start did not find in the database. */
export interface LostWrites {
  foundAt: string;
  /** The number of writes. Each is a batch or another change. */
  writes: number;
}

interface Counted {
  database: string;
  writes: number;
}

const COUNTED = /^([0-9a-f-]{36}) +(\d+)\n/;

/** A file next to the database, so that it survives the loss of the log. */
function commitCountPath(databasePath: string): string {
  return join(dirname(databasePath), 'dacapo.commits');
}

/** @returns `undefined` if there is none, or a crash of the machine made it unreadable */
export function readCommitCount(databasePath: string): Counted | undefined {
  try {
    const [, database, writes] = COUNTED.exec(readFileSync(commitCountPath(databasePath), 'latin1')) ?? [];
    return database === undefined ? undefined : { database, writes: Number(writes) };
  } catch {
    return undefined;
  }
}

/** For a database that replaces another one. */
export function removeCommitCount(databasePath: string): void {
  rmSync(commitCountPath(databasePath), { force: true });
}

/** Counts the writer's commits from now on. Records as lost what was counted outside the database but is not in it. */
export async function countCommits(writer: Connection, databasePath: string, nowUs: number): Promise<void> {
  await writer.write([
    {
      sql: 'INSERT INTO commit_count(count_no, database_id, writes) VALUES (1, ?, 0) ON CONFLICT DO NOTHING',
      rows: [[randomUUID()]],
    },
  ]);
  const outside = readCommitCount(databasePath);
  const counted = await readCount(writer);
  const lost = countLost(outside, counted);
  if (lost > 0) {
    await writer.write([
      { sql: 'INSERT INTO lost_writes(found_us, writes) VALUES (?, ?)', rows: [[nowUs, lost]] },
      { sql: 'UPDATE commit_count SET writes = writes + ?', rows: [[lost]] },
    ]);
  }
  const path = commitCountPath(databasePath);
  const text = `${counted.database} `;
  const file = openSync(path, constants.O_CREAT | constants.O_RDWR, 0o600);
  writeSync(file, text + String(counted.writes + lost).padStart(16) + '\n', 0);
  closeSync(file);
  await writer.mark({ path, text, sql: 'UPDATE commit_count SET writes = writes + ? RETURNING writes' });
}

/** The number of writes that the database should have but has not; `undefined` if it does not count them. */
export async function countMissing(reader: Reader, databasePath: string): Promise<number | undefined> {
  const tables = await reader.all("SELECT 1 FROM sqlite_schema WHERE name = 'commit_count'");
  if (tables.length === 0) return undefined;
  // Read before the database, which may be in use and counts first.
  const outside = readCommitCount(databasePath);
  return countLost(outside, await readCount(reader));
}

/** Losses that nobody accepted. */
export async function listLostWrites(reader: Reader): Promise<LostWrites[]> {
  const rows = await reader.all<{ found_us: number; writes: number }>(
    'SELECT found_us, writes FROM lost_writes WHERE accepted_us IS NULL ORDER BY found_us',
  );
  return rows.map(({ found_us, writes }) => ({ foundAt: formatTimestamp(found_us), writes }));
}

/** Also accepts losses that no start has found yet, so that counting continues from now on. */
export async function acceptLostWrites(writer: Connection, missing: number, nowUs: number): Promise<void> {
  await writer.write([
    { sql: 'UPDATE lost_writes SET accepted_us = ? WHERE accepted_us IS NULL', rows: [[nowUs]] },
    { sql: 'UPDATE commit_count SET writes = writes + ?', rows: [[missing]] },
  ]);
}

async function readCount(reader: Reader): Promise<Counted> {
  const [row] = await reader.all<Counted>('SELECT database_id AS database, writes FROM commit_count');
  return row ?? { database: '', writes: 0 };
}

function countLost(outside: Counted | undefined, { database, writes }: Counted): number {
  return outside?.database === database ? Math.max(0, outside.writes - writes) : 0;
}
