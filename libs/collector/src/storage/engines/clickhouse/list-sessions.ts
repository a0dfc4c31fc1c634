import { formatTimestamp, parseTimestamp, type RunCandidate } from '@dacapo/protocol';
import type { MetaStore } from '../../meta/meta-store.js';
import type { ScoreFilter } from '../../ports/score.js';
import type { Position, Range, SessionList } from '../../ports/span-store.js';
import { Conditions } from './conditions.js';
import type { ClickHouseConnection } from './connection.js';
import { listScored } from './list-scored.js';
import { currentTraces } from './tables.js';

interface SessionRow {
  session_id: string;
  trace_count: number;
  first_us: number;
  last_us: number;
}

const MOST_VALUES = 10;

const CANDIDATE = `SELECT arraySort(groupUniqArray(t.user_id)) AS user_id, arraySort(groupUniqArray(t.environment)) AS environment,
    arraySort(groupUniqArray(t.release)) AS release,
    arraySort(groupUniqArrayArray(JSONExtract(ifNull(t.tags, '[]'), 'Array(String)'))) AS tags
  FROM ${currentTraces()} AS t WHERE t.test_run_id = {testRunId:String}`;

export async function listSessions(
  connection: ClickHouseConnection,
  scores: MetaStore['scores'],
  accountId: string,
  { score }: { score?: ScoreFilter },
  range: Range,
): Promise<SessionList> {
  const read = ({ limit, after }: Range): Promise<SessionRow[]> => {
    const conditions = new Conditions(accountId);
    if (after !== undefined) {
      const place = [conditions.bind(parseTimestamp(after[0]) ?? 0), conditions.bind(after[1])];
      conditions.add(`(last_us, session_id) < (${place.join(', ')})`);
    }
    return connection.all<SessionRow>(
      `SELECT session_id, count() AS trace_count, min(started_us) AS first_us, max(started_us) AS last_us FROM ${currentTraces()}
        WHERE session_id IS NOT NULL AND test_run_id IS NULL GROUP BY session_id HAVING ${conditions.sql}
        ORDER BY last_us DESC, session_id DESC LIMIT ${limit}`,
      conditions.parameters,
    );
  };
  const toPosition = ({ last_us, session_id }: SessionRow): Position => [
    formatTimestamp(last_us),
    session_id,
  ];
  const select =
    score &&
    (async (rows: readonly SessionRow[]): Promise<SessionRow[]> => {
      const ids = rows.map(({ session_id }) => session_id);
      const found = new Set(await scores.findScored(accountId, 'session', ids, score));
      return rows.filter(({ session_id }) => found.has(session_id));
    });
  const { rows, lookedUntil } = await listScored(range, read, toPosition, select);
  return {
    sessions: rows.map(({ first_us, last_us, ...row }) => ({
      ...row,
      first_started_at: formatTimestamp(first_us),
      last_started_at: formatTimestamp(last_us),
    })),
    ...(lookedUntil !== undefined && { lookedUntil }),
  };
}

export async function readRunCandidate(
  connection: ClickHouseConnection,
  accountId: string,
  testRunId: string,
): Promise<RunCandidate> {
  const row = await connection.get<RunCandidate>(CANDIDATE, { accountId, testRunId });
  const { user_id = [], tags = [], environment = [], release = [] } = row ?? {};
  return {
    user_id: user_id.slice(0, MOST_VALUES),
    tags: tags.slice(0, MOST_VALUES),
    environment: environment.slice(0, MOST_VALUES),
    release: release.slice(0, MOST_VALUES),
  };
}
