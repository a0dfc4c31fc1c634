import { formatTimestamp, type Page, type SessionSummary } from '@dacapo/protocol';
import { decodeCursor, encodeCursor, type PageRequest } from '../../../pages.js';
import type { Connection } from '../connection.js';

interface SessionRow {
  session_id: string;
  trace_count: number;
  first_us: number;
  last_us: number;
}

export async function listSessions(
  database: Connection,
  accountId: string,
  page: PageRequest,
): Promise<Page<SessionSummary>> {
  const after = page.cursor === undefined ? [] : decodeCursor(page.cursor, [0, '']);
  const rows = await database.all<SessionRow>(
    `SELECT session_id, count(*) AS trace_count, min(started_us) AS first_us, max(started_us) AS last_us
      FROM traces WHERE account_id = ? AND session_id IS NOT NULL AND test_run_id IS NULL GROUP BY session_id
      ${after.length === 0 ? '' : 'HAVING (max(started_us), session_id) < (?, ?)'}
      ORDER BY last_us DESC, session_id DESC LIMIT ?`,
    [accountId, ...after, page.limit + 1],
  );
  const kept = rows.slice(0, page.limit);
  const last = kept.at(-1);
  return {
    items: kept.map((row) => ({
      session_id: row.session_id,
      trace_count: row.trace_count,
      first_started_at: formatTimestamp(row.first_us),
      last_started_at: formatTimestamp(row.last_us),
    })),
    ...(rows.length > kept.length && last && { next_cursor: encodeCursor([last.last_us, last.session_id]) }),
  };
}
