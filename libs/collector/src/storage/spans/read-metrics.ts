import {
  type MetricsQuery,
  type MetricsRow,
  MetricsRows,
  floorToPeriod,
  splitIntoPeriods,
} from '../ports/metrics-query.js';
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

export async function readMetrics(
  db: MetaTransaction,
  accountId: string,
  query: MetricsQuery,
): Promise<MetricsRow[]> {
  const { hours } = query;
  const { traceFunctionKey: key, traceFunctionKeys: keys = key === undefined ? undefined : [key] } = query;
  const rows = new MetricsRows();
  const pieces = new Pieces(CHARACTERS_IN_A_TURN);
  const replays = { exclude: [0], include: [0, 1], only: [1] }[query.replays];
  for (const { hours: length, sinceUs: since, untilUs: until } of splitIntoPeriods(query)) {
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
