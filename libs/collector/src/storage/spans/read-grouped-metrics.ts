import { isSpanGroup, type MetricsGroup } from '@dacapo/protocol';
import { Pieces } from '../../memory/pieces.js';
import {
  spanContributions,
  decodeContribution,
  type EncodedContribution,
  type PlacedTally,
} from '../rules/contribution.js';
import {
  MOST_GROUPED_TRACES,
  type MetricsQuery,
  type MetricsRow,
  MetricsRows,
  floorToPeriod,
} from '../ports/metrics-query.js';
import type { Dialect } from '../meta/dialect.js';
import type { MetaTransaction, Parameters } from '../meta/transaction.js';
import { SPAN_VALUES, type SpanValues, toMetricSpan } from './metric-values.js';

const TRACES_AT_ONCE = 500;
/** Characters to add up before other requests get their turn. */
const CHARACTERS_IN_A_TURN = 64 * 1024;

interface Found {
  trace_id: string;
  started_us: number;
  value: string | null;
  found: string;
}

const SINCE = 't.account_id = :accountId AND t.started_us >= :sinceUs';

/** An SQL condition on each trace `t`, with its parameters. */
export interface MetricConditions {
  readonly sql: string;
  readonly parameters: Parameters;
}

/**
 * Groups and filters the contributions of single traces, because stored sums for each user and tag would have no bound.
 *
 * @param conditions the conditions of `where`; empty without any
 * @returns `undefined` if there are more than `mostTraces`
 */
export async function readGroupedMetrics(
  db: MetaTransaction,
  accountId: string,
  query: MetricsQuery,
  { sql, parameters }: MetricConditions,
): Promise<MetricsRow[] | undefined> {
  const { sinceUs, untilUs, groupBy, mostTraces = MOST_GROUPED_TRACES } = query;
  const matches = [SINCE, sql].filter((part) => part !== '').join(' AND ');
  const wanted = { ...parameters, accountId, sinceUs };
  const count = await db.get<{ n: number }>(
    `SELECT count(*) AS n FROM (SELECT 1 FROM traces t WHERE ${matches} AND t.started_us < :untilUs LIMIT :most) found`,
    { ...wanted, untilUs, most: mostTraces + 1 },
  );
  if (count === undefined || count.n > mostTraces) return undefined;
  const rows = new MetricsRows();
  const pieces = new Pieces(CHARACTERS_IN_A_TURN);
  const page = buildPageQuery(db.dialect, groupBy, matches);
  let [beforeUs, beforeId] = [untilUs, ''];
  for (;;) {
    const traces = await db.all<Found>(page, { ...wanted, beforeUs, beforeId });
    for (const { value, found } of traces) {
      await pieces.fit(found.length);
      if (isSpanGroup(groupBy)) addSpans(rows, query, found);
      else addTrace(rows, query, valuesIn(groupBy, value), found);
    }
    const last = traces.at(-1);
    if (last === undefined || traces.length < TRACES_AT_ONCE) return rows.all();
    [beforeUs, beforeId] = [last.started_us, last.trace_id];
  }
}

/** A page of traces, newest first. */
function buildPageQuery({ rows }: Dialect, groupBy: MetricsGroup | undefined, matches: string): string {
  const found = isSpanGroup(groupBy)
    ? `(SELECT ${rows(`${SPAN_VALUES}, ${groupBy}`)} FROM spans
        WHERE spans.account_id = t.account_id AND spans.trace_id = t.trace_id)`
    : `coalesce((SELECT contribution FROM trace_metrics AS own
        WHERE own.account_id = t.account_id AND own.trace_id = t.trace_id), '[]')`;
  const value = isSpanGroup(groupBy) || groupBy === undefined ? 'NULL' : `t.${groupBy}`;
  return `SELECT t.trace_id, t.started_us, ${value} AS value, ${found} AS found FROM traces t
    WHERE ${matches} AND t.started_us <= :beforeUs AND (t.started_us, t.trace_id) < (:beforeUs, :beforeId)
    ORDER BY t.started_us DESC, t.trace_id DESC LIMIT ${TRACES_AT_ONCE}`;
}

function valuesIn(groupBy: MetricsGroup | undefined, value: string | null): (string | null | undefined)[] {
  if (groupBy === undefined) return [undefined];
  if (groupBy !== 'tags') return [value];
  const tags = JSON.parse(value ?? '[]') as string[];
  return tags.length === 0 ? [null] : tags;
}

function addTrace(
  rows: MetricsRows,
  query: MetricsQuery,
  groups: (string | null | undefined)[],
  found: string,
): void {
  const { groupBy, traceFunctionKey = groupBy && '' } = query;
  for (const placed of decodeContribution(JSON.parse(found) as EncodedContribution)) {
    const { traceFunctionKey: key } = placed;
    if (traceFunctionKey === undefined ? key === '' : key !== traceFunctionKey) continue;
    for (const group of groups) add(rows, { ...query, traceFunctionKey: key }, group, placed);
  }
}

/** @param found a JSON list of the spans of a trace: `SPAN_VALUES` and the value of the group */
export function addSpans(rows: MetricsRows, query: MetricsQuery, found: string): void {
  const { traceFunctionKey } = query;
  const values = JSON.parse(found) as [...SpanValues, group: string | null][];
  const spans = values.map((all) => ({
    ...toMetricSpan(all as unknown as SpanValues),
    group: all.at(-1) as string | null,
  }));
  for (const [{ group, isReplay, startedUs, traceFunctionKey: key }, tally] of spanContributions(spans))
    if (traceFunctionKey === undefined || key === traceFunctionKey)
      add(rows, query, group, {
        traceFunctionKey: key,
        isReplay,
        hourUs: floorToPeriod(startedUs, 1),
        tally,
      });
}

function add(
  rows: MetricsRows,
  { replays, hours, traceFunctionKey = '' }: MetricsQuery,
  group: string | null | undefined,
  { isReplay, hourUs, tally }: PlacedTally,
): void {
  if (replays !== 'include' && isReplay !== (replays === 'only')) return;
  rows.at(traceFunctionKey, hours === undefined ? undefined : floorToPeriod(hourUs, hours), group).add(tally);
}
