import type { ClickHouseConnection } from './connection.js';
import { ALL_VERSIONS, currentTraces, OF_TRACES } from './tables.js';

/** A version of a trace. */
interface Version {
  trace_id: string;
  records: number;
}

/** Versions that are read for each trace: most traces have one or two. */
const VERSIONS_OF_TRACE = 2;

const LATEST = `SELECT trace_id, max(records) AS records FROM ${ALL_VERSIONS} WHERE ${OF_TRACES} GROUP BY trace_id`;

/**
 * The first traces of a list, each in its latest version. Finding the latest version of every trace takes several times as long as sorting
 * all versions. So this sorts all versions, and checks for the traces of the page alone that these are the latest. If one is outdated, other
 * traces may be missing, and the list is read again from the latest versions.
 *
 * @param read sorts `traces` by place, and versions at one place by `records DESC`
 */
export async function listLatest<R extends Version>(
  connection: ClickHouseConnection,
  accountId: string,
  limit: number,
  read: (traces: string, limit: number) => Promise<R[]>,
): Promise<R[]> {
  const most = VERSIONS_OF_TRACE * limit;
  const versions = await read(ALL_VERSIONS, most);
  const firsts = new Map<string, R>();
  for (const version of versions) {
    if (!firsts.has(version.trace_id)) firsts.set(version.trace_id, version);
  }
  const page = [...firsts.values()].slice(0, limit);
  const isWhole = page.length === limit || versions.length < most;
  return isWhole && (await areLatest(connection, accountId, page)) ? page : read(currentTraces(), limit);
}

async function areLatest(
  connection: ClickHouseConnection,
  accountId: string,
  page: readonly Version[],
): Promise<boolean> {
  if (page.length === 0) return true;
  const traceIds = page.map(({ trace_id }) => trace_id);
  const rows = await connection.all<Version>(LATEST, { accountId, traceIds });
  const latest = new Map(rows.map(({ trace_id, records }) => [trace_id, records]));
  return page.every(({ trace_id, records }) => latest.get(trace_id) === records);
}
