import { formatTimestamp, parseTimestamp } from '@dacapo/protocol';
import type { MetaTransaction } from '../../../meta/transaction.js';
import type { ScoreFilter } from '../../../ports/score.js';
import type { Range, SessionList } from '../../../ports/span-store.js';
import { Conditions } from './conditions.js';
import { LIST_BOUNDS, type ListBounds, lookAhead } from './look-ahead.js';
import { isScored, scoresAmong } from './trace-conditions.js';

interface SessionRow {
  session_id: string;
  trace_count: number;
  first_us: number;
  last_us: number;
}

const IN_ORDER = 'ORDER BY s.last_us DESC, s.session_id DESC';

/** Reads a bounded number of sessions; see {@link lookAhead}. */
export async function listSessions(
  db: MetaTransaction,
  accountId: string,
  { score }: { score?: ScoreFilter },
  { limit, after }: Range,
  bounds: ListBounds = LIST_BOUNDS,
): Promise<SessionList> {
  const walk = new Conditions();
  const account = walk.bind(accountId);
  walk.add(`s.account_id = ${account}`);
  if (after !== undefined) {
    const place = [walk.bind(parseTimestamp(after[0])), walk.bind(after[1])];
    walk.add(`(s.last_us, s.session_id) < (${place.join(', ')})`);
  }
  const found = score && scoresAmong(walk, account, 'session', score);
  const tested =
    found === undefined
      ? []
      : [{ test: isScored('s.session_id', found), candidates: `SELECT k.target_id FROM ${found}` }];
  const walked = {
    from: 'sessions s',
    where: walk.sql,
    inOrder: IN_ORDER,
    place: ['s.last_us', 's.session_id'] as const,
  };
  const { few, end } = await lookAhead(db, walked, tested, walk.parameters, bounds);
  const [source, where] =
    few === undefined
      ? [
          `(SELECT s.* FROM sessions s WHERE ${walk.sql} ${IN_ORDER}
            ${found === undefined ? '' : `LIMIT ${walk.bind(bounds.lookedThrough)}`}) s`,
          found === undefined ? '' : `WHERE ${isScored('s.session_id', found)}`,
        ]
      : [
          `(SELECT DISTINCT target_id FROM (${few}) q OFFSET 0) f JOIN sessions s ON s.session_id = f.target_id`,
          `WHERE ${walk.sql}`,
        ];
  const rows = await db.all<SessionRow>(
    `SELECT s.session_id, s.trace_count, s.first_us, s.last_us FROM ${source} ${where}
      ${IN_ORDER} LIMIT ${walk.bind(limit)}`,
    walk.parameters,
  );
  return {
    sessions: rows.map(({ first_us, last_us, ...row }) => ({
      ...row,
      first_started_at: formatTimestamp(first_us),
      last_started_at: formatTimestamp(last_us),
    })),
    ...(end && rows.length < limit && { lookedUntil: [formatTimestamp(end[0]), end[1]] as const }),
  };
}
