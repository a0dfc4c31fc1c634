import {
  DAY_HOURS,
  type MetricsQuery,
  type MetricsRow,
  MetricsRows,
  startOf,
} from '../../../metrics/metrics-query.js';
import { HOUR_US } from '../../../metrics/contribution.js';
import type { EncodedTally } from '../../../metrics/tally.js';
import type { Reader } from '../connection.js';
import type { SqlParameter } from '../sql-value.js';

type Values = [key: string, startedUs: number, tally: EncodedTally];

/** Whole days are read as such, and what is left of the first and the last day by the hour. */
export async function readMetrics(
  database: Reader,
  accountId: string,
  query: MetricsQuery,
): Promise<MetricsRow[]> {
  const { sinceUs, untilUs, hours } = query;
  const firstDay = startOf(sinceUs + DAY_HOURS * HOUR_US - 1, DAY_HOURS);
  const lastDay = startOf(untilUs, DAY_HOURS);
  const parts: [hours: number, sinceUs: number, untilUs: number][] =
    hours === 1 || firstDay >= lastDay
      ? [[1, sinceUs, untilUs]]
      : [
          [1, sinceUs, firstDay],
          [DAY_HOURS, firstDay, lastDay],
          [1, lastDay, untilUs],
        ];
  const rows = new MetricsRows();
  const replays = { exclude: [0], include: [0, 1], only: [1] }[query.replays];
  for (const [of, since, until] of parts.filter(([, from, to]) => from < to)) {
    for (const isReplay of replays) {
      const found = await read(database, [accountId, of, isReplay], query.traceFunctionKey, since, until);
      for (const [key, startedUs, tally] of found) {
        if (query.traceFunctionKey === undefined && key === '') continue;
        rows.at(key, hours === undefined ? undefined : startOf(startedUs, hours)).addEncoded(tally);
      }
    }
  }
  return rows.all();
}

async function read(
  database: Reader,
  place: SqlParameter[],
  key: string | undefined,
  sinceUs: number,
  untilUs: number,
): Promise<Values[]> {
  const [row] = await database.all<{ found: string }>(
    `SELECT '[' || coalesce(group_concat(
        '[' || json_quote(trace_function_key) || ',' || started_us || ',' || tally || ']'), '') || ']' AS found FROM metrics
      WHERE account_id = ? AND hours = ? AND is_replay = ? ${key === undefined ? '' : 'AND trace_function_key = ?'}
        AND started_us >= ? AND started_us < ?`,
    [...place, ...(key === undefined ? [] : [key]), sinceUs, untilUs],
  );
  return JSON.parse(row?.found ?? '[]') as Values[];
}
