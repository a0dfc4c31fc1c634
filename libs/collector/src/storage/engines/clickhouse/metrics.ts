import { isSpanGroup, type SpanGroup } from '@dacapo/protocol';
import {
  DAY_HOURS,
  MOST_GROUPED_TRACES,
  type MetricsQuery,
  type MetricsRow,
  MetricsRows,
  type SummedPeriod,
  floorToPeriod,
  periodsOf,
} from '../../ports/metrics-query.js';
import { HOUR_US } from '../../rules/contribution.js';
import { SPAN_VALUES } from '../../spans/metric-values.js';
import { addSpans } from '../../spans/read-grouped-metrics.js';
import { Conditions } from './conditions.js';
import type { ClickHouseConnection } from './connection.js';
import { findDaySums, sumsOfDays } from './day-sums.js';
import { currentSpans, currentTraces } from './tables.js';
import { addFactConditions } from './trace-conditions.js';

interface TallyRow {
  trace_function_key: string;
  start_us: number;
  grouped: string | null;
  sums: number[];
  durations: [bins: number[], counts: number[]];
}

/**
 * @param nowUs days that have ended by then are summed once, until their spans change
 * @returns `undefined` if more than `mostTraces` would be grouped or filtered
 */
export async function readMetrics(
  connection: ClickHouseConnection,
  accountId: string,
  query: MetricsQuery,
  nowUs: number,
): Promise<MetricsRow[] | undefined> {
  const rows = new MetricsRows();
  if (query.groupBy === undefined && query.where === undefined) {
    for (const period of periodsOf(query)) await addPeriod(rows, connection, accountId, query, period, nowUs);
    return rows.all();
  }
  const { groupBy, where = {}, sinceUs, untilUs, mostTraces = MOST_GROUPED_TRACES } = query;
  const conditions = new Conditions(accountId);
  conditions.compare('t.started_us', '>=', sinceUs);
  conditions.compare('t.started_us', '<', untilUs);
  addFactConditions(conditions, where);
  const traces = currentTraces();
  const row = await connection.get<{ n: number }>(
    `SELECT count() AS n FROM ${traces} AS t WHERE ${conditions.sql}`,
    conditions.parameters,
  );
  if (row === undefined || row.n > mostTraces) return undefined;
  if (isSpanGroup(groupBy)) await addSpansOfGroups(rows, connection, conditions, query, groupBy);
  else await addTallies(rows, connection, traces, conditions, query);
  return rows.all();
}

async function addPeriod(
  rows: MetricsRows,
  connection: ClickHouseConnection,
  accountId: string,
  query: MetricsQuery,
  { hours, sinceUs, untilUs }: SummedPeriod,
  nowUs: number,
): Promise<void> {
  const addHours = async (since: number, until: number): Promise<void> => {
    const conditions = new Conditions(accountId);
    conditions.compare('m.hour_us', '>=', since);
    conditions.compare('m.hour_us', '<', until);
    const days = [floorToPeriod(since, DAY_HOURS), until].map((us) => conditions.bind(us));
    const traces = currentTraces(`arrayExists(day -> day >= ${days[0]} AND day < ${days[1]}, days)`);
    await addTallies(rows, connection, traces, conditions, query);
  };
  if (hours === 1) {
    await addHours(sinceUs, untilUs);
    return;
  }
  const { summed, unsummed } = await findDaySums(connection, accountId, { sinceUs, untilUs, nowUs });
  for (const dayUs of unsummed) await addHours(dayUs, dayUs + DAY_HOURS * HOUR_US);
  if (summed.length === 0) return;
  const conditions = new Conditions(accountId);
  await addTallies(rows, connection, sumsOfDays(conditions.bind(summed)), conditions, query);
}

/** Adds up tallies in ClickHouse. @param from rows with `tallies` */
async function addTallies(
  rows: MetricsRows,
  connection: ClickHouseConnection,
  from: string,
  conditions: Conditions,
  { groupBy, traceFunctionKey: key = groupBy && '', traceFunctionKeys: keys, hours, replays }: MetricsQuery,
): Promise<void> {
  if (keys !== undefined) conditions.add(`has(${conditions.bind(keys)}, m.trace_function_key)`);
  else if (key === undefined) conditions.add("m.trace_function_key != ''");
  else conditions.equal('m.trace_function_key', key);
  if (replays !== 'include') conditions.add(`m.is_replay = ${replays === 'only' ? 1 : 0}`);
  const lengthUs = (hours ?? 1) * HOUR_US;
  const start = hours === undefined ? '0' : `intDiv(m.hour_us, ${lengthUs}) * ${lengthUs}`;
  const found = await connection.all<TallyRow>(
    `SELECT m.trace_function_key AS trace_function_key, ${start} AS start_us, ${toGroup(groupBy)} AS grouped,
        sumForEach(m.sums) AS sums, sumMap(m.bins, m.counts) AS durations
      FROM ${from} AS t ARRAY JOIN t.tallies AS m WHERE ${conditions.sql}
      GROUP BY trace_function_key, start_us, grouped`,
    conditions.parameters,
  );
  for (const { trace_function_key, start_us, grouped, sums, durations } of found) {
    const [bins, counts] = durations;
    rows
      .at(
        trace_function_key,
        hours === undefined ? undefined : start_us,
        groupBy === undefined ? undefined : grouped,
      )
      .addEncoded([sums, bins.flatMap((bin, place) => [bin, counts[place] ?? 0])]);
  }
}

/** The expression to group by. A trace counts once for each of its tags. */
function toGroup(groupBy: MetricsQuery['groupBy']): string {
  if (groupBy === undefined) return 'NULL';
  if (groupBy !== 'tags') return `t.${groupBy}`;
  return `arrayJoin(if(t.tags IS NULL OR t.tags = '[]', [NULL], JSONExtract(assumeNotNull(t.tags), 'Array(Nullable(String))')))`;
}

async function addSpansOfGroups(
  rows: MetricsRows,
  connection: ClickHouseConnection,
  conditions: Conditions,
  query: MetricsQuery,
  by: SpanGroup,
): Promise<void> {
  const these = `trace_id IN (SELECT t.trace_id FROM ${currentTraces()} AS t WHERE ${conditions.sql})`;
  const found = await connection.all<{ spans: string }>(
    `SELECT toJSONString(groupArray(tuple(${SPAN_VALUES}, ${by}))) AS spans FROM ${currentSpans(these)}
      GROUP BY trace_id`,
    conditions.parameters,
  );
  for (const { spans } of found) addSpans(rows, query, spans);
}
