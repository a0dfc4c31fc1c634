import { formatTimestamp, parseTimestamp } from '@dacapo/protocol';
import type { MetaTransaction } from '../../../meta/transaction.js';
import type { ScoreFilter } from '../../../ports/score.js';
import type { Range, SessionList } from '../../../ports/span-store.js';
import { Conditions } from './conditions.js';
import { addScore } from './trace-conditions.js';

interface SessionRow {
  session_id: string;
  trace_count: number;
  first_us: number;
  last_us: number;
}

export async function listSessions(
  db: MetaTransaction,
  accountId: string,
  { score }: { score?: ScoreFilter },
  { limit, after }: Range,
): Promise<SessionList> {
  const conditions = new Conditions();
  conditions.equal('s.account_id', accountId);
  if (after !== undefined) {
    const place = [conditions.bind(parseTimestamp(after[0])), conditions.bind(after[1])];
    conditions.add(`(s.last_us, s.session_id) < (${place.join(', ')})`);
  }
  if (score !== undefined) addScore(conditions, 's.session_id', accountId, 'session', score);
  const rows = await db.all<SessionRow>(
    `SELECT s.session_id, s.trace_count, s.first_us, s.last_us FROM sessions s WHERE ${conditions.sql}
      ORDER BY s.last_us DESC, s.session_id DESC LIMIT ${conditions.bind(limit)}`,
    conditions.parameters,
  );
  return {
    sessions: rows.map(({ first_us, last_us, ...row }) => ({
      ...row,
      first_started_at: formatTimestamp(first_us),
      last_started_at: formatTimestamp(last_us),
    })),
  };
}
