import {
  computeContribution,
  decodeContribution,
  encodeContribution,
  type EncodedContribution,
  type PlacedTally,
  TallyPlaces,
  usageIn,
} from '../../../rules/contribution.js';
import { Pieces } from '../../../../memory/pieces.js';
import { DAY_HOURS, floorToPeriod } from '../../../ports/metrics-query.js';
import { type EncodedTally, Tally } from '../../../rules/tally.js';
import type { Connection, Reader, Step } from '../connection.js';
import type { SqlParameter } from '../../../meta/transaction.js';
import { SPAN_VALUES, type SpanValues, toMetricSpan } from '../../../spans/metric-values.js';
import { WorkBehind } from '../work-behind.js';

/** Batches whose traces one pass reads. */
const CHANGES_AT_ONCE = 64;

/** Characters to add up before requests get their turn. */
const CHARACTERS_IN_A_TURN = 32 * 1024;

/** Delay of the work that an ingest leaves, so that sums that many batches touch are written once. */
const PAUSE_MS = 1000;

/** The maximum of passes that a read of metrics waits for. */
const PASSES_OF_A_READ = 4;

const NEWEST = 'SELECT max(change_no) AS newest FROM changed_traces';

/** Changes of one account, or of the account that has waited longest. */
const CHANGES = `SELECT change_no, account_id, trace_ids FROM changed_traces WHERE change_no <= ?1 AND account_id =
    coalesce(?2, (SELECT account_id FROM changed_traces ORDER BY change_no LIMIT 1))
  ORDER BY change_no LIMIT ${CHANGES_AT_ONCE}`;

/** The spans of each trace as one text, because each separate value that leaves SQLite costs more. */
const SPANS = `SELECT trace_id, json_group_array(json_array(${SPAN_VALUES})) AS spans
  FROM spans WHERE account_id = ? AND trace_id IN (SELECT value FROM json_each(?)) GROUP BY trace_id`;

const ADDED = `SELECT trace_id, contribution FROM trace_metrics
  WHERE account_id = ? AND trace_id IN (SELECT value FROM json_each(?))`;

const KNOWN = `SELECT hours, is_replay, trace_function_key, started_us, tally
  FROM (SELECT value AS place FROM json_each(?)) CROSS JOIN metrics
  ON account_id = ? AND hours = place ->> 0 AND is_replay = place ->> 1 AND trace_function_key = place ->> 2
    AND started_us = place ->> 3`;

const DONE = `DELETE FROM changed_traces WHERE account_id = ? AND change_no BETWEEN ? AND ?`;

const PUT_ADDED = `INSERT INTO trace_metrics(account_id, trace_id, contribution) VALUES (?, ?, ?)
  ON CONFLICT(account_id, trace_id) DO UPDATE SET contribution = excluded.contribution`;
const DROP_ADDED = 'DELETE FROM trace_metrics WHERE account_id = ? AND trace_id = ?';

/** Writes the usage that lists read, only if it changes. */
const PUT_USAGE = 'UPDATE traces SET usage = ?1 WHERE account_id = ?2 AND trace_id = ?3 AND usage IS NOT ?1';

const PUT_SUM = `INSERT INTO metrics(account_id, hours, is_replay, trace_function_key, started_us, tally)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT(account_id, hours, is_replay, trace_function_key, started_us) DO UPDATE SET tally = excluded.tally`;
const DROP_SUM = `DELETE FROM metrics WHERE account_id = ? AND hours = ? AND is_replay = ? AND trace_function_key = ?
  AND started_us = ?`;

interface Change {
  change_no: number;
  account_id: string;
  trace_ids: string;
}

type Place = [hours: number, isReplay: 0 | 1, key: string, startedUs: number];

/**
 * Adds up traces behind ingest: subtracts the earlier contribution of a trace and adds its current one. So the sums always match the
 * stored spans, after a late end, a repeated span or a deletion. Nothing else writes the sums.
 */
export class MetricsRollup {
  private readonly behind = new WorkBehind(
    async () => this.rollUpTo(await this.newest(), Infinity),
    PAUSE_MS,
  );

  constructor(
    private readonly writer: Connection,
    private readonly reader: Reader,
  ) {}

  /** Schedules a pass. */
  wake(): void {
    this.behind.wake();
  }

  /**
   * Does the waiting work of an account, up to a limited number of passes.
   *
   * @throws StorageError
   */
  async catchUp(accountId: string): Promise<void> {
    await this.rollUpTo(await this.newest(), PASSES_OF_A_READ, accountId);
  }

  async countWaiting(accountId: string): Promise<number> {
    const [row] = await this.reader.all<{ n: number }>(
      'SELECT count(*) AS n FROM changed_traces WHERE account_id = ?',
      [accountId],
    );
    return row?.n ?? 0;
  }

  stop(): Promise<void> {
    return this.behind.stop();
  }

  private async newest(): Promise<number> {
    const [row] = await this.reader.all<{ newest: number | null }>(NEWEST);
    return row?.newest ?? 0;
  }

  /** Runs passes one after another, because each needs the sums of the one before. */
  private async rollUpTo(changeNo: number, passes: number, accountId?: string): Promise<void> {
    for (let pass = 0; pass < passes && !this.behind.isStopped; pass++) {
      if (!(await this.behind.next(() => this.rollUp(changeNo, accountId)))) return;
    }
  }

  /** @returns whether there was something to do */
  private async rollUp(upTo: number, ofAccount: string | undefined): Promise<boolean> {
    const changes = await this.reader.all<Change>(CHANGES, [upTo, ofAccount]);
    const [first, last] = [changes[0], changes.at(-1)];
    if (first === undefined || last === undefined) return false;
    const accountId = first.account_id;
    const traceIds = [...new Set(changes.flatMap((change) => JSON.parse(change.trace_ids) as string[]))];
    const wanted = [accountId, JSON.stringify(traceIds)];
    const [rows, added] = await Promise.all([
      this.reader.all<{ trace_id: string; spans: string }>(SPANS, wanted),
      this.reader.all<{ trace_id: string; contribution: string }>(ADDED, wanted),
    ]);
    const spansByTrace = new Map(rows.map(({ trace_id, spans }) => [trace_id, spans]));
    const pieces = new Pieces(CHARACTERS_IN_A_TURN);
    const sums = new Changes();
    for (const { contribution } of added) {
      await pieces.fit(contribution.length);
      sums.add(decodeContribution(JSON.parse(contribution) as EncodedContribution), -1);
    }
    const [puts, drops, usages]: [SqlParameter[][], SqlParameter[][], SqlParameter[][]] = [[], [], []];
    for (const traceId of traceIds) {
      const spans = spansByTrace.get(traceId) ?? '[]';
      await pieces.fit(spans.length);
      const contribution = computeContribution((JSON.parse(spans) as SpanValues[]).map(toMetricSpan));
      sums.add(contribution, 1);
      const usage = usageIn(contribution);
      usages.push([usage && JSON.stringify(usage), accountId, traceId]);
      if (contribution.length === 0) drops.push([accountId, traceId]);
      else puts.push([accountId, traceId, JSON.stringify(encodeContribution(contribution))]);
    }
    await this.writer.write([
      // Ends here if the account was deleted during the pass.
      { sql: DONE, rows: [[accountId, first.change_no, last.change_no]], mustChange: true },
      { sql: PUT_ADDED, rows: puts },
      { sql: DROP_ADDED, rows: drops },
      { sql: PUT_USAGE, rows: usages },
      ...(await this.sumSteps(accountId, sums, pieces)),
    ]);
    return true;
  }

  private async sumSteps(accountId: string, changes: Changes, pieces: Pieces): Promise<Step[]> {
    const places = changes.places();
    const known = await this.reader.all<{
      hours: number;
      is_replay: 0 | 1;
      trace_function_key: string;
      started_us: number;
      tally: string;
    }>(KNOWN, [JSON.stringify(places.map(([place]) => place)), accountId]);
    const sums = new Map(places.map(([place, tally]) => [place.join('\n'), { place, tally }]));
    for (const { hours, is_replay, trace_function_key, started_us, tally } of known) {
      await pieces.fit(tally.length);
      const name = [hours, is_replay, trace_function_key, started_us].join('\n');
      sums.get(name)?.tally.add(Tally.decode(JSON.parse(tally) as EncodedTally));
    }
    const [puts, drops]: [SqlParameter[][], SqlParameter[][]] = [[], []];
    for (const { place, tally } of sums.values()) {
      if (tally.isEmpty) {
        drops.push([accountId, ...place]);
        continue;
      }
      const encoded = JSON.stringify(tally.encode());
      puts.push([accountId, ...place, encoded]);
      await pieces.fit(encoded.length);
    }
    return [
      { sql: PUT_SUM, rows: puts },
      { sql: DROP_SUM, rows: drops },
    ];
  }
}

/** Changes of sums, by hour and then by day. A change may be negative. */
class Changes {
  private readonly byHour = new TallyPlaces();

  add(contribution: readonly PlacedTally[], times: 1 | -1): void {
    for (const { tally, traceFunctionKey, isReplay, hourUs } of contribution) {
      this.byHour.at(traceFunctionKey, isReplay, hourUs).add(tally, times);
    }
  }

  places(): [Place, Tally][] {
    const byDay = new TallyPlaces();
    const hours = this.byHour.all();
    for (const { tally, traceFunctionKey, isReplay, hourUs } of hours) {
      byDay.at(traceFunctionKey, isReplay, floorToPeriod(hourUs, DAY_HOURS)).add(tally);
    }
    const toPlaces = (tallies: readonly PlacedTally[], length: number): [Place, Tally][] =>
      tallies.map(({ tally, traceFunctionKey, isReplay, hourUs }) => [
        [length, isReplay ? 1 : 0, traceFunctionKey, hourUs],
        tally,
      ]);
    const all = [...toPlaces(hours, 1), ...toPlaces(byDay.all(), DAY_HOURS)];
    return all.filter(([, tally]) => !tally.isEmpty);
  }
}
