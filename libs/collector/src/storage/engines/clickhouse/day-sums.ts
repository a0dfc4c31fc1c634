import type { Clock } from '../../../clock.js';
import { DAY_US } from '../../ports/metrics-query.js';
import type { ClickHouseConnection } from './connection.js';
import { TALLY } from './schema.js';

const IN_TIME = 'account_id = {accountId:String} AND day_us >= {sinceUs:Int64} AND day_us < {untilUs:Int64}';

/** Versions of a trace differ in `records`. The other columns tell apart a trace that was deleted and sent again. */
const VERSION_HASH =
  'reinterpretAsInt64(cityHash64(trace_id, records, started_us, span_count, duration_order, tokens_order, cost_order))';

/** Each day with spans, and what its sums must have. */
const FINGERPRINTS = `SELECT day_us, toString(sum(${VERSION_HASH})) AS fingerprint FROM trace_versions ARRAY JOIN days AS day_us
  WHERE ${IN_TIME} AND arrayExists(day -> day >= {sinceUs:Int64} AND day < {untilUs:Int64}, days) GROUP BY day_us`;

/** Marks the part of a trace in the fingerprint, among its tallies. */
const IS_FINGERPRINT = 2;

/**
 * Adds up the tallies of a day. The fingerprint comes from the same read of the table as the sums, so the two always agree. A version names
 * the days of all versions that it replaces, so no version of another day is needed.
 */
const INSERT_SUMS = `INSERT INTO day_sums
  SELECT {accountId:String}, {dayUs:Int64}, anyIf(sums[1], is_replay = ${IS_FINGERPRINT}),
    groupArrayIf((trace_function_key, is_replay, {dayUs:Int64}, sums, durations.1, durations.2), is_replay != ${IS_FINGERPRINT})
  FROM (
    SELECT m.trace_function_key AS trace_function_key, m.is_replay AS is_replay, sumForEach(m.sums) AS sums,
      sumMap(m.bins, m.counts) AS durations
    FROM (
      SELECT arrayPushBack(
        arrayFilter(m -> m.hour_us >= {dayUs:Int64} AND m.hour_us < {dayUs:Int64} + ${DAY_US}, argMax(tallies, records)),
        ('', ${IS_FINGERPRINT}, {dayUs:Int64}, [sum(${VERSION_HASH})], [], [])::${TALLY}) AS own
      FROM trace_versions WHERE account_id = {accountId:String} AND has(days, {dayUs:Int64}) GROUP BY account_id, trace_id)
    ARRAY JOIN own AS m GROUP BY trace_function_key, is_replay)
  SETTINGS optimize_aggregation_in_order = 1`;

/** Days that one pass adds up: each is a statement, and a new part of the table. */
const MOST_ADDED_UP = 40;

/** The calls of a key on one day. */
interface DayTally {
  trace_function_key: string;
  hour_us: number;
  sums: number[];
  bins: number[];
  counts: number[];
}

/** A time that begins and ends with a day. */
interface WholeDays {
  sinceUs: number;
  untilUs: number;
}

/**
 * Sums of ended days. They are valid while their fingerprint equals that of the versions of traces that are stored. So late records and
 * deletions need no bookkeeping: the day is added up again.
 */
export class DaySums {
  /** Accounts whose days are being added up. */
  private readonly running = new Set<string>();

  constructor(
    private readonly connection: ClickHouseConnection,
    private readonly clock: Readonly<Clock>,
  ) {}

  /**
   * Reads the days with valid sums.
   *
   * @param tallies an expression of the tallies to read, from `tallies`
   * @returns their tallies, and the other days that have spans
   */
  async read(
    accountId: string,
    time: WholeDays,
    tallies: { sql: string; parameters: object },
  ): Promise<{ summed: DayTally[]; unsummed: number[] }> {
    const parameters = { ...tallies.parameters, accountId, ...time };
    const stored = await this.connection.all<{ day_us: number; fingerprint: string; found: DayTally[] }>(
      `SELECT day_us, toString(fingerprint) AS fingerprint, ${tallies.sql} AS found FROM day_sums WHERE ${IN_TIME}`,
      parameters,
    );
    // Afterwards, so that sums count only if they are right by now.
    const days = await this.connection.all<{ day_us: number; fingerprint: string }>(FINGERPRINTS, {
      accountId,
      ...time,
    });
    const summed: DayTally[] = [];
    const unsummed: number[] = [];
    const byDay = new Map(stored.map((row) => [`${row.day_us} ${row.fingerprint}`, row.found]));
    for (const { day_us: dayUs, fingerprint } of days) {
      const found = byDay.get(`${dayUs} ${fingerprint}`);
      if (found === undefined) unsummed.push(dayUs);
      else summed.push(...found);
    }
    this.addUp(accountId, unsummed);
    return { summed, unsummed };
  }

  /** Adds up the newest ended days behind the read, for later ones. */
  private addUp(accountId: string, days: readonly number[]): void {
    const nowUs = this.clock.nowUs();
    const ended = days.filter((dayUs) => dayUs + DAY_US <= nowUs).sort((left, right) => left - right);
    if (ended.length === 0 || this.running.has(accountId)) return;
    const pass = async (): Promise<void> => {
      for (const dayUs of ended.slice(-MOST_ADDED_UP))
        await this.connection.run(INSERT_SUMS, { accountId, dayUs });
    };
    // Reads do without the sums, and report a database that is unreachable.
    this.running.add(accountId);
    void pass()
      .catch(() => undefined)
      .finally(() => this.running.delete(accountId));
  }
}
