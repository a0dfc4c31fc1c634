import type { TraceFact } from '@dacapo/protocol';
import { decodeFacts, deriveTrace, mergeFacts, toRecord } from '../../../spans/derive-trace.js';
import type { PostgresConnection } from '../connection.js';
import type { PostgresTransaction } from '../meta-transaction.js';
import { lockAccount } from './locks.js';
import { lockTraces, readContributions, readSpansOfTraces, type StoredTrace } from './stored-traces.js';
import { LONG_TRACES } from './tables.js';
import { writeTraces } from './write-traces.js';

/** Traces with this many spans or more are derived behind ingest, because a batch reads all spans of a trace. */
export const LONG_FROM = 5000;

const OLDEST = `SELECT account_id, trace_id FROM ${LONG_TRACES.name} ORDER BY account_id, trace_id LIMIT 100`;

/**
 * Whether a trace can be derived later. Facts about it count at once, because a deletion of its session must find it.
 */
export function canWait(old: StoredTrace, said: readonly TraceFact[], longFrom: number): boolean {
  if (old.span_count < longFrom) return false;
  const known = decodeFacts(old.trace_id, old.facts);
  const [before, after] = [known, [...known, ...said]].map((facts) => toRecord(old.trace_id, facts));
  return JSON.stringify(before) === JSON.stringify(after);
}

/** Queues locked traces to be derived later. */
export async function deriveLater(
  db: PostgresTransaction,
  accountId: string,
  traces: readonly { old: StoredTrace; said: readonly TraceFact[] }[],
): Promise<void> {
  for (const { old, said } of traces) {
    const facts = mergeFacts(old.trace_id, [...decodeFacts(old.trace_id, old.facts), ...said]);
    const these = { account_id: accountId, trace_id: old.trace_id };
    await db.run('UPDATE traces SET facts = :facts WHERE account_id = :account_id AND trace_id = :trace_id', {
      ...these,
      facts,
    });
    await db.insertRows(LONG_TRACES, [these], 'ON CONFLICT DO NOTHING');
  }
}

/** Derives the queued traces. @param isStopped is called before each */
export async function deriveWaiting(connection: PostgresConnection, isStopped: () => boolean): Promise<void> {
  const waiting = await connection.all<{ account_id: string; trace_id: string }>(OLDEST, []);
  for (const { account_id, trace_id } of waiting) {
    if (isStopped()) return;
    await connection.transact((db) => deriveAgain(db, account_id, trace_id));
  }
}

async function deriveAgain(db: PostgresTransaction, accountId: string, traceId: string): Promise<void> {
  await lockAccount(db, accountId, 'shared');
  const old = (await lockTraces(db, accountId, [traceId])).get(traceId);
  const waited = await db.run(
    `DELETE FROM ${LONG_TRACES.name} WHERE account_id = :accountId AND trace_id = :traceId`,
    { accountId, traceId },
  );
  // Another process was faster, or the trace is deleted.
  if (old === undefined || waited === 0) return;
  const spans = await readSpansOfTraces(db, accountId, [traceId]);
  const contributions = await readContributions(db, accountId, [traceId]);
  const now = deriveTrace(traceId, spans, decodeFacts(traceId, old.facts), old.started_us);
  await writeTraces(db, accountId, [{ old, contribution: contributions.get(traceId), now }]);
}
