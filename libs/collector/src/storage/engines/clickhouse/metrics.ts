import { isSpanGroup, type SpanGroup } from '@dacapo/protocol';
import {
  DAY_HOURS,
  DAY_US,
  MOST_GROUPED_TRACES,
  type MetricsQuery,
  type MetricsRow,
  MetricsRows,
  type SummedPeriod,
  floorToPeriod,
  splitIntoPeriods,
} from '../../ports/metrics-query.js';
import { HOUR_US } from '../../rules/contribution.js';
import { SPAN_VALUES } from '../../spans/metric-values.js';
import { addSpans } from '../../spans/read-grouped-metrics.js';
import { Conditions } from './conditions.js';
import type { ClickHouseConnection } from './connection.js';
import type { DaySums } from './day-sums.js';
import { currentSpans, currentTraces } from './tables.js';
import { addFactConditions } from './trace-conditions.js';

interface TallyRow {
  trace_function_key: string;
  start_us: number;
  grouped: string | null;
  sums: number[];
  durations: [bins: number[], counts: number[]];
}

/** Days in one statement: the length of a parameter is limited. */
const DAYS_AT_ONCE = 1000;

/** @returns `undefined` if more than `mostTraces` would be grouped or filtered */
export async function readMetrics(
  connection: ClickHouseConnection,
  daySums: DaySums,
  accountId: string,
  query: MetricsQuery,
): Promise<MetricsRow[] | undefined> {
  const rows = new MetricsRows();
  if (query.groupBy === undefined && query.where === undefined) {
    for (const period of splitIntoPeriods(query))
      await addPeriod(rows, connection, daySums, accountId, query, period);
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
  daySums: DaySums,
  accountId: string,
  query: MetricsQuery,
  { hours, sinceUs, untilUs }: SummedPeriod,
): Promise<void> {
  if (hours === 1) {
    const conditions = new Conditions(accountId);
    conditions.compare('m.hour_us', '>=', sinceUs);
    conditions.compare('m.hour_us', '<', untilUs);
    const [first, end] = [floorToPeriod(sinceUs, DAY_HOURS), untilUs].map((us) => conditions.bind(us));
    const traces = currentTraces(`arrayExists(day -> day >= ${first} AND day < ${end}, days)`);
    await addTallies(rows, connection, traces, conditions, query);
    return;
  }
  const wanted = new Conditions(accountId);
  addTallyConditions(wanted, query);
  const { summed, unsummed } = await daySums.read(
    accountId,
    { sinceUs, untilUs },
    { sql: `arrayFilter(m -> ${wanted.sql}, tallies)`, parameters: wanted.parameters },
  );
  for (const { hour_us, bins, counts, ...tally } of summed)
    addRow(rows, query, { ...tally, start_us: hour_us, grouped: null, durations: [bins, counts] });
  for (let start = 0; start < unsummed.length; start += DAYS_AT_ONCE) {
    const conditions = new Conditions(accountId);
    const days = conditions.bind(unsummed.slice(start, start + DAYS_AT_ONCE));
    conditions.add(`m.hour_us - positiveModulo(m.hour_us, ${DAY_US}) IN ${days}`);
    await addTallies(rows, connection, currentTraces(`hasAny(days, ${days})`), conditions, query);
  }
}

/** Adds up tallies in ClickHouse. @param from rows with `tallies` */
async function addTallies(
  rows: MetricsRows,
  connection: ClickHouseConnection,
  from: string,
  conditions: Conditions,
  query: MetricsQuery,
): Promise<void> {
  addTallyConditions(conditions, query);
  const { groupBy, hours } = query;
  const start = hours === undefined ? '0' : `m.hour_us - positiveModulo(m.hour_us, ${hours * HOUR_US})`;
  const found = await connection.all<TallyRow>(
    `SELECT m.trace_function_key AS trace_function_key, ${start} AS start_us, ${toGroup(groupBy)} AS grouped,
        sumForEach(m.sums) AS sums, sumMap(m.bins, m.counts) AS durations
      FROM ${from} AS t ARRAY JOIN t.tallies AS m WHERE ${conditions.sql}
      GROUP BY trace_function_key, start_us, grouped`,
    conditions.parameters,
  );
  for (const row of found) addRow(rows, query, row);
}

function addTallyConditions(
  conditions: Conditions,
  { groupBy, traceFunctionKey: key = groupBy && '', traceFunctionKeys: keys, replays }: MetricsQuery,
): void {
  if (keys !== undefined) conditions.add(`has(${conditions.bind(keys)}, m.trace_function_key)`);
  else if (key === undefined) conditions.add("m.trace_function_key != ''");
  else conditions.equal('m.trace_function_key', key);
  if (replays !== 'include') conditions.add(`m.is_replay = ${replays === 'only' ? 1 : 0}`);
}

function addRow(
  rows: MetricsRows,
  { groupBy, hours }: MetricsQuery,
  { trace_function_key: key, start_us, grouped, sums, durations: [bins, counts] }: TallyRow,
): void {
  const start = hours === undefined ? undefined : start_us;
  rows
    .at(key, start, groupBy === undefined ? undefined : grouped)
    .addEncoded([sums, bins.flatMap((bin, place) => [bin, counts[place] ?? 0])]);
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
