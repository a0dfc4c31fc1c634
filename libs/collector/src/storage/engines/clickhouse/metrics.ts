import { isSpanGroup, type SpanGroup } from '@dacapo/protocol';
import {
  MOST_GROUPED_TRACES,
  type MetricsQuery,
  type MetricsRow,
  MetricsRows,
} from '../../ports/metrics-query.js';
import { HOUR_US } from '../../rules/contribution.js';
import { SPAN_VALUES } from '../../spans/metric-values.js';
import { addSpans } from '../../spans/read-grouped-metrics.js';
import { Conditions } from './conditions.js';
import type { ClickHouseConnection } from './connection.js';
import { currentSpans, currentTraces } from './tables.js';
import { addFactConditions } from './trace-conditions.js';

interface TallyRow {
  trace_function_key: string;
  start_us: number;
  grouped: string | null;
  sums: number[];
  durations: [bins: number[], counts: number[]];
}

/** @returns `undefined` if more than `mostTraces` would be grouped or filtered */
export async function readMetrics(
  connection: ClickHouseConnection,
  accountId: string,
  query: MetricsQuery,
): Promise<MetricsRow[] | undefined> {
  const { groupBy, where = {}, sinceUs, untilUs, mostTraces = MOST_GROUPED_TRACES } = query;
  const conditions = new Conditions(accountId);
  const isOfTraces = groupBy !== undefined || query.where !== undefined;
  const time = isOfTraces ? 't.started_us' : 'm.hour_us';
  conditions.compare(time, '>=', sinceUs);
  conditions.compare(time, '<', untilUs);
  addFactConditions(conditions, where);
  if (isOfTraces) {
    const row = await connection.get<{ n: number }>(
      `SELECT count() AS n FROM ${currentTraces()} AS t WHERE ${conditions.sql}`,
      conditions.parameters,
    );
    if (row === undefined || row.n > mostTraces) return undefined;
  }
  return isSpanGroup(groupBy)
    ? sumSpans(connection, conditions, query, groupBy)
    : sumTallies(connection, conditions, query);
}

/** Adds up the contributions of traces, in ClickHouse. */
async function sumTallies(
  connection: ClickHouseConnection,
  conditions: Conditions,
  { groupBy, traceFunctionKey: key = groupBy && '', traceFunctionKeys: keys, hours, replays }: MetricsQuery,
): Promise<MetricsRow[]> {
  if (keys !== undefined) conditions.add(`has(${conditions.bind(keys)}, m.trace_function_key)`);
  else if (key === undefined) conditions.add("m.trace_function_key != ''");
  else conditions.equal('m.trace_function_key', key);
  if (replays !== 'include') conditions.add(`m.is_replay = ${replays === 'only' ? 1 : 0}`);
  const lengthUs = (hours ?? 1) * HOUR_US;
  const start = hours === undefined ? '0' : `intDiv(m.hour_us, ${lengthUs}) * ${lengthUs}`;
  const found = await connection.all<TallyRow>(
    `SELECT m.trace_function_key AS trace_function_key, ${start} AS start_us, ${toGroup(groupBy)} AS grouped,
        sumForEach(m.sums) AS sums, sumMap(m.bins, m.counts) AS durations
      FROM ${currentTraces()} AS t ARRAY JOIN t.tallies AS m WHERE ${conditions.sql}
      GROUP BY trace_function_key, start_us, grouped`,
    conditions.parameters,
  );
  const rows = new MetricsRows();
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
  return rows.all();
}

/** The expression to group by. A trace counts once for each of its tags. */
function toGroup(groupBy: MetricsQuery['groupBy']): string {
  if (groupBy === undefined) return 'NULL';
  if (groupBy !== 'tags') return `t.${groupBy}`;
  return `arrayJoin(if(t.tags IS NULL OR t.tags = '[]', [NULL], JSONExtract(assumeNotNull(t.tags), 'Array(Nullable(String))')))`;
}

async function sumSpans(
  connection: ClickHouseConnection,
  conditions: Conditions,
  query: MetricsQuery,
  by: SpanGroup,
): Promise<MetricsRow[]> {
  const these = `trace_id IN (SELECT t.trace_id FROM ${currentTraces()} AS t WHERE ${conditions.sql})`;
  const found = await connection.all<{ spans: string }>(
    `SELECT toJSONString(groupArray(tuple(${SPAN_VALUES}, ${by}))) AS spans FROM ${currentSpans(these)}
      GROUP BY trace_id`,
    conditions.parameters,
  );
  const rows = new MetricsRows();
  for (const { spans } of found) addSpans(rows, query, spans);
  return rows.all();
}
