import { formatTimestamp, type MetricsAnswer, type MetricsItem, ProtocolError } from '@dacapo/protocol';
import { Injectable } from '@nestjs/common';
import { Pieces } from '../memory/pieces.js';
import { HOUR_US } from '../storage/rules/contribution.js';
import {
  MOST_GROUPED_TRACES,
  type MetricsQuery,
  type MetricsRow,
  startOf,
} from '../storage/ports/metrics-query.js';
import { RELATIVE_ERROR, type Tally } from '../storage/rules/tally.js';
import { SpanStore } from '../storage/ports/span-store.js';

/** Groups in an answer. */
const MOST_GROUPS = 100;
const ROWS_IN_A_TURN = 100;

@Injectable()
export class MetricsService {
  constructor(private readonly store: SpanStore) {}

  /** Widens the time range to full hours, or to full days when rows are days. */
  async read(accountId: string, request: MetricsQuery): Promise<MetricsAnswer> {
    const { hours = 1 } = request;
    const query = {
      ...request,
      sinceUs: startOf(request.sinceUs, hours),
      untilUs: startOf(request.untilUs + hours * HOUR_US - 1, hours),
    };
    const { rows, waitingBatches, isTooMuch } = await this.store.readMetrics(accountId, query);
    if (isTooMuch === true)
      throw new ProtocolError(
        query.groupBy === undefined ? 'since' : 'group_by',
        `may group or filter at most ${query.mostTraces ?? MOST_GROUPED_TRACES} traces, and more started from since to until. Ask for a shorter time`,
      );
    const { shown, more } = largestGroups(rows);
    const items: MetricsItem[] = [];
    const pieces = new Pieces(ROWS_IN_A_TURN);
    for (const row of query.groupBy === undefined ? shown.sort(byTimeAndKey) : shown) {
      await pieces.fit(1);
      items.push(toItem(row));
    }
    return {
      since: formatTimestamp(query.sinceUs),
      until: formatTimestamp(query.untilUs),
      relative_error: RELATIVE_ERROR,
      waiting_batches: waitingBatches,
      items,
      ...(more > 0 && { more_groups: more }),
    };
  }
}

/** The rows of the groups with the most calls, those first; by time within each moment. Rows without groups stay as they are. */
function largestGroups(rows: MetricsRow[]): { shown: MetricsRow[]; more: number } {
  const calls = new Map<string | null, number>();
  for (const { group, tally } of rows)
    if (group !== undefined) calls.set(group, (calls.get(group) ?? 0) + tally.calls);
  if (calls.size === 0) return { shown: rows, more: 0 };
  const sorted = [...calls].sort(([a, left], [b, right]) => right - left || (String(a) < String(b) ? -1 : 1));
  const rank = new Map(sorted.slice(0, MOST_GROUPS).map(([group], index) => [group, index]));
  const rankGroup = ({ group = null }: MetricsRow): number => rank.get(group) ?? MOST_GROUPS;
  const shown = rows
    .filter((row) => rankGroup(row) < MOST_GROUPS)
    .sort((left, right) => (left.startUs ?? 0) - (right.startUs ?? 0) || rankGroup(left) - rankGroup(right));
  return { shown, more: Math.max(0, sorted.length - MOST_GROUPS) };
}

function byTimeAndKey(left: MetricsRow, right: MetricsRow): number {
  const byTime = (left.startUs ?? 0) - (right.startUs ?? 0);
  if (byTime !== 0) return byTime;
  return left.traceFunctionKey < right.traceFunctionKey ? -1 : 1;
}

function toItem({ traceFunctionKey: key, group, startUs, tally }: MetricsRow): MetricsItem {
  return {
    ...(key !== '' && { trace_function_key: key }),
    ...(group !== undefined && { group }),
    ...(startUs !== undefined && { at: formatTimestamp(startUs) }),
    calls: tally.calls,
    errors: tally.errors,
    ...toDurations(tally),
    model_calls: tally.modelCalls,
    input_tokens: tally.inputTokens,
    output_tokens: tally.outputTokens,
    ...(tally.modelCalls > tally.unpricedCalls && { cost_usd: tally.costNanoUsd / 1e9 }),
    ...(tally.unpricedCalls > 0 && { unpriced_calls: tally.unpricedCalls }),
  };
}

function toDurations(tally: Tally): Pick<MetricsItem, 'p50_ms' | 'p95_ms'> {
  const [p50, p95] = [tally.percentile(0.5), tally.percentile(0.95)];
  return p50 === undefined || p95 === undefined ? {} : { p50_ms: p50, p95_ms: p95 };
}
