import type { Parameters } from '../../../meta/transaction.js';
import { isOneOf } from '../dialect.js';
import type { PostgresTransaction } from '../meta-transaction.js';
import { SESSIONS } from './tables.js';

/** What a session counts of a trace. */
interface SessionTrace {
  session_id: string | null;
  test_run_id: string | null;
  started_us: number;
}

const ADD = `ON CONFLICT (account_id, session_id) DO UPDATE SET
  trace_count = sessions.trace_count + excluded.trace_count,
  first_us = least(sessions.first_us, excluded.first_us), last_us = greatest(sessions.last_us, excluded.last_us)`;

const THESE = `s.account_id = :accountId AND ${isOneOf('s.session_id', ':sessionIds')}`;

const COUNT_AGAIN = `UPDATE sessions s SET trace_count = t.trace_count, first_us = t.first_us, last_us = t.last_us
  FROM (SELECT s.session_id, count(t.trace_id) AS trace_count, coalesce(min(t.started_us), 0) AS first_us,
      coalesce(max(t.started_us), 0) AS last_us
    FROM sessions s LEFT JOIN traces t
      ON t.account_id = s.account_id AND t.session_id = s.session_id AND t.test_run_id IS NULL
    WHERE ${THESE} GROUP BY s.session_id) t
  WHERE s.account_id = :accountId AND s.session_id = t.session_id`;

/** Runs last in a transaction, because others that change one of these sessions wait for its end. */
export async function addToSessions(
  db: PostgresTransaction,
  accountId: string,
  traces: readonly { old: SessionTrace | undefined; now: SessionTrace | undefined }[],
): Promise<void> {
  const added = new Map<string, Parameters & { trace_count: number; first_us: number; last_us: number }>();
  const left = new Set<string>();
  for (const { old, now } of traces) {
    const [before, after] = [countedIn(old), countedIn(now)];
    if (before === after && old?.started_us === now?.started_us) continue;
    if (before !== undefined) left.add(before);
    for (const sessionId of [before, after]) {
      if (sessionId === undefined) continue;
      const startedUs = (now ?? old)?.started_us ?? 0;
      const sum = added.get(sessionId);
      added.set(sessionId, {
        account_id: accountId,
        session_id: sessionId,
        trace_count: (sum?.trace_count ?? 0) + 1,
        first_us: Math.min(sum?.first_us ?? startedUs, startedUs),
        last_us: Math.max(sum?.last_us ?? startedUs, startedUs),
      });
    }
  }
  await db.insertRows(SESSIONS, [...added.values()], ADD);
  if (left.size === 0) return;
  const these = { accountId, sessionIds: JSON.stringify([...left]) };
  await db.run(COUNT_AGAIN, these);
  await db.run(`DELETE FROM sessions s WHERE ${THESE} AND s.trace_count = 0`, these);
}

/** The session that counts a trace. Replays do not count. */
function countedIn(trace: SessionTrace | undefined): string | undefined {
  return trace?.test_run_id === null ? (trace.session_id ?? undefined) : undefined;
}
