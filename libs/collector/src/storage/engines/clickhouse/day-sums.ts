import { DAY_HOURS } from '../../ports/metrics-query.js';
import { HOUR_US } from '../../rules/contribution.js';
import type { ClickHouseConnection } from './connection.js';
import { TALLY } from './schema.js';

const DAY_US = DAY_HOURS * HOUR_US;

const OF_DAYS = 'account_id = {accountId:String} AND day_us >= {sinceUs:Int64} AND day_us < {untilUs:Int64}';

/** What differs between any two versions. */
const HASH =
  'reinterpretAsInt64(cityHash64(trace_id, records, started_us, span_count, duration_order, tokens_order, cost_order))';

/** Each day with spans, and whether its newest sums are those of its versions. */
const DAYS = `SELECT v.day_us AS day_us, s.computed_us > 0 AS is_summed
  FROM (SELECT day_us, sum(${HASH}) AS fingerprint FROM trace_versions ARRAY JOIN days AS day_us WHERE ${OF_DAYS}
    GROUP BY day_us) AS v
  LEFT JOIN (SELECT * FROM day_sums WHERE ${OF_DAYS} ORDER BY computed_us DESC LIMIT 1 BY day_us) AS s
  ON s.day_us = v.day_us AND s.fingerprint = v.fingerprint ORDER BY day_us`;

/** Marks the part of a trace in the fingerprint, among its tallies. */
const IS_FINGERPRINT = 2;

/**
 * Adds up the tallies of a day. The fingerprint comes from the same read of the table as the sums, so the two always agree. A version names
 * the days of all versions that it replaces, so no version of another day is needed.
 */
const ADD_UP = `INSERT INTO day_sums
  SELECT {accountId:String}, {dayUs:Int64}, toUnixTimestamp64Micro(now64(6)), anyIf(sums[1], is_replay = ${IS_FINGERPRINT}),
    groupArrayIf((trace_function_key, is_replay, {dayUs:Int64}, sums, durations.1, durations.2), is_replay != ${IS_FINGERPRINT})
  FROM (
    SELECT m.trace_function_key AS trace_function_key, m.is_replay AS is_replay, sumForEach(m.sums) AS sums,
      sumMap(m.bins, m.counts) AS durations
    FROM (
      SELECT arrayPushBack(
        arrayFilter(m -> m.hour_us >= {dayUs:Int64} AND m.hour_us < {dayUs:Int64} + ${DAY_US}, argMax(tallies, records)),
        ('', ${IS_FINGERPRINT}, {dayUs:Int64}, [sum(${HASH})], [], [])::${TALLY}) AS own
      FROM trace_versions WHERE account_id = {accountId:String} AND has(days, {dayUs:Int64}) GROUP BY account_id, trace_id)
    ARRAY JOIN own AS m GROUP BY trace_function_key, is_replay)
  SETTINGS optimize_aggregation_in_order = 1`;

/** A query of sums. @param days the name of a parameter, in braces */
export function sumsOfDays(days: string): string {
  return `(SELECT * FROM day_sums WHERE account_id = {accountId:String} AND day_us IN ${days}
    ORDER BY computed_us DESC LIMIT 1 BY day_us)`;
}

/** Which days have sums. */
interface FoundDays {
  summed: number[];
  unsummed: number[];
}

/**
 * Finds the days with spans, and adds up those that have ended and whose sums are missing. Sums count while the versions of traces that they
 * add up are those of the day, which a fingerprint shows. So late records and deletions need no bookkeeping: the day is added up again.
 */
export async function findDaySums(
  connection: ClickHouseConnection,
  accountId: string,
  { sinceUs, untilUs, nowUs }: { sinceUs: number; untilUs: number; nowUs: number },
): Promise<FoundDays> {
  const days = await connection.all<{ day_us: number; is_summed: 0 | 1 }>(DAYS, {
    accountId,
    sinceUs,
    untilUs,
  });
  const found: FoundDays = { summed: [], unsummed: [] };
  for (const { day_us: dayUs, is_summed } of days) {
    const hasEnded = dayUs + DAY_US <= nowUs;
    if (is_summed === 0 && hasEnded) await connection.run(ADD_UP, { accountId, dayUs });
    if (is_summed === 1 || hasEnded) found.summed.push(dayUs);
    else found.unsummed.push(dayUs);
  }
  return found;
}
