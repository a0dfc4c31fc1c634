import { DAY_HOURS, floorToPeriod } from '../../../ports/metrics-query.js';
import { type PlacedTally, TallyPlaces } from '../../../rules/contribution.js';
import { type EncodedTally, Tally } from '../../../rules/tally.js';
import type { Parameters } from '../../../meta/transaction.js';
import type { PostgresTransaction } from '../meta-transaction.js';
import { lockAccount } from './locks.js';
import { KEY_COUNTS, METRICS } from './tables.js';

/** The maximum of tallies that one transaction adds up. */
export const ADDED_AT_ONCE = 2000;

/** The key that stands for whole traces. */
const WHOLE_TRACES = '';

interface TallyRow extends Parameters {
  hours: number;
  is_replay: number;
  trace_function_key: string;
  started_us: number;
  tally: string;
  is_sum: number;
}

const PLACE = 'account_id, hours, is_replay, trace_function_key, started_us';

/** Deletes and returns the tallies that are not in a sum yet, and the sums of their places. */
const TAKE = `WITH added AS (
    DELETE FROM metrics WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM metrics WHERE account_id = :accountId AND is_sum = 0 LIMIT ${ADDED_AT_ONCE}))
    RETURNING ${PLACE}, tally),
  sums AS (
    DELETE FROM metrics WHERE account_id = :accountId AND is_sum = 1 AND (${PLACE}) IN (SELECT ${PLACE} FROM added)
    RETURNING ${PLACE}, tally)
  SELECT *, 0 AS is_sum FROM added UNION ALL SELECT *, 1 FROM sums`;

/** Replaces the rows of each key by one. */
const ADD_UP_KEYS = `WITH counts AS (
    DELETE FROM ${KEY_COUNTS.name} WHERE account_id = :accountId RETURNING trace_function_key, span_count)
  INSERT INTO ${KEY_COUNTS.name}(account_id, trace_function_key, span_count)
    SELECT :accountId, trace_function_key, sum(span_count) FROM counts
    GROUP BY trace_function_key HAVING sum(span_count) <> 0`;

/**
 * Stores contributions by the hour and by the day as new rows, which are added up when they are read. So no batch changes a sum that
 * another batch waits for.
 */
export async function addTallies(
  db: PostgresTransaction,
  accountId: string,
  changes: readonly { contribution: readonly PlacedTally[]; times: 1 | -1 }[],
): Promise<void> {
  const byHour = new TallyPlaces();
  const byDay = new TallyPlaces();
  const spansByKey = new Map<string, number>();
  for (const { contribution, times } of changes) {
    for (const { tally, traceFunctionKey, isReplay, hourUs } of contribution) {
      byHour.at(traceFunctionKey, isReplay, hourUs).add(tally, times);
      byDay.at(traceFunctionKey, isReplay, floorToPeriod(hourUs, DAY_HOURS)).add(tally, times);
      const spans = spansByKey.get(traceFunctionKey) ?? 0;
      spansByKey.set(traceFunctionKey, spans + times * tally.calls);
    }
  }
  spansByKey.delete(WHOLE_TRACES);
  const toRows = (hours: number, places: TallyPlaces): Parameters[] =>
    places.all().flatMap(({ tally, traceFunctionKey, isReplay, hourUs }) =>
      tally.isEmpty
        ? []
        : [
            {
              account_id: accountId,
              hours,
              is_replay: isReplay,
              trace_function_key: traceFunctionKey,
              started_us: hourUs,
              tally: JSON.stringify(tally.encode()),
              is_sum: false,
            },
          ],
    );
  await db.insertRows(METRICS, [...toRows(1, byHour), ...toRows(DAY_HOURS, byDay)]);
  await db.insertRows(
    KEY_COUNTS,
    Array.from(spansByKey, ([trace_function_key, span_count]) => ({
      account_id: accountId,
      trace_function_key,
      span_count,
    })).filter(({ span_count }) => span_count !== 0),
  );
}

/**
 * Adds up some of an account's tallies. One process at a time does it.
 *
 * @returns the number of tallies that were in no sum, at most {@link ADDED_AT_ONCE}; `undefined` while another process does it
 */
export async function sumTallies(db: PostgresTransaction, accountId: string): Promise<number | undefined> {
  await lockAccount(db, accountId, 'shared');
  const lock = await db.get<{ is_mine: boolean }>(
    'SELECT pg_try_advisory_xact_lock(hashtextextended(:accountId, 1)) AS is_mine',
    { accountId },
  );
  if (lock?.is_mine !== true) return undefined;
  const rows = await db.all<TallyRow>(TAKE, { accountId });
  const sums = new Map<string, { row: TallyRow; tally: Tally }>();
  for (const row of rows) {
    const { hours, is_replay, trace_function_key, started_us } = row;
    const place = [hours, is_replay, started_us, trace_function_key].join('\n');
    const sum = sums.get(place) ?? { row, tally: new Tally() };
    sum.tally.addEncoded(JSON.parse(row.tally) as EncodedTally);
    sums.set(place, sum);
  }
  const left = [...sums.values()].filter(({ tally }) => !tally.isEmpty);
  await db.insertRows(
    METRICS,
    left.map(({ row, tally }) => ({ ...row, tally: JSON.stringify(tally.encode()), is_sum: true })),
  );
  await db.run(ADD_UP_KEYS, { accountId });
  return rows.filter(({ is_sum }) => is_sum === 0).length;
}
