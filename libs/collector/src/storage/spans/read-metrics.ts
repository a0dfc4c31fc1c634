import {
  DAY_HOURS,
  type MetricsQuery,
  type MetricsRow,
  MetricsRows,
  floorToPeriod,
} from '../ports/metrics-query.js';
import { HOUR_US } from '../rules/contribution.js';
import { Pieces } from '../../memory/pieces.js';
import type { EncodedTally } from '../rules/tally.js';
import type { MetaTransaction, Parameters } from '../meta/transaction.js';

type Values = [startedUs: number, tally: EncodedTally];

interface KeyMetricsRow {
  trace_function_key: string;
  found: string;
}

/** Characters of tallies to add up before other requests get their turn. */
const CHARACTERS_IN_A_TURN = 64 * 1024;

/** Reads whole days by the day, and the rest of the first and the last day by the hour. */
export async function readMetrics(
  db: MetaTransaction,
  accountId: string,
  query: MetricsQuery,
): Promise<MetricsRow[]> {
  const { sinceUs, untilUs, hours } = query;
  const firstDay = floorToPeriod(sinceUs + DAY_HOURS * HOUR_US - 1, DAY_HOURS);
  const lastDay = floorToPeriod(untilUs, DAY_HOURS);
  const parts: [hours: number, sinceUs: number, untilUs: number][] =
    hours === 1 || firstDay >= lastDay
      ? [[1, sinceUs, untilUs]]
      : [
          [1, sinceUs, firstDay],
          [DAY_HOURS, firstDay, lastDay],
          [1, lastDay, untilUs],
        ];
  const { traceFunctionKey: key, traceFunctionKeys: keys = key === undefined ? undefined : [key] } = query;
  const rows = new MetricsRows();
  const pieces = new Pieces(CHARACTERS_IN_A_TURN);
  const replays = { exclude: [0], include: [0, 1], only: [1] }[query.replays];
  for (const [length, since, until] of parts.filter(([, from, to]) => from < to)) {
    for (const isReplay of replays) {
      const found = await read(db, {
        accountId,
        hours: length,
        isReplay,
        since,
        until,
        ...(keys !== undefined && { keys: JSON.stringify(keys) }),
      });
      for (const { trace_function_key: of, found: tallies } of found) {
        if (keys === undefined && of === '') continue;
        await pieces.fit(tallies.length);
        for (const [startedUs, tally] of JSON.parse(tallies) as Values[]) {
          rows.at(of, hours === undefined ? undefined : floorToPeriod(startedUs, hours)).addEncoded(tally);
        }
      }
    }
  }
  return rows.all();
}

/** The rows of a key as one text. */
function read(db: MetaTransaction, place: Parameters): Promise<KeyMetricsRow[]> {
  return db.all<KeyMetricsRow>(
    `SELECT trace_function_key, '[' || string_agg('[' || started_us || ',' || tally || ']', ',') || ']' AS found
      FROM metrics
      WHERE account_id = :accountId AND hours = :hours AND is_replay = :isReplay
        ${place['keys'] === undefined ? '' : `AND trace_function_key IN (SELECT value FROM ${db.dialect.texts(':keys')})`}
        AND started_us >= :since AND started_us < :until GROUP BY trace_function_key`,
    place,
  );
}
