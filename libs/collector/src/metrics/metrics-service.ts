import { formatTimestamp, type MetricsAnswer, type MetricsItem, ProtocolError } from '@dacapo/protocol';
import { Injectable } from '@nestjs/common';
import { Pieces } from '../memory/pieces.js';
import { HOUR_US } from '../storage/rules/contribution.js';
import {
  MOST_GROUPED_TRACES,
  type MetricsQuery,
  type MetricsRow,
  floorToPeriod,
} from '../storage/ports/metrics-query.js';
import { RELATIVE_ERROR } from '../storage/rules/duration-bins.js';
import { SpanStore } from '../storage/ports/span-store.js';
import { toMetricsItem } from './to-metrics-item.js';

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
      sinceUs: floorToPeriod(request.sinceUs, hours),
      untilUs: floorToPeriod(request.untilUs + hours * HOUR_US - 1, hours),
    };
    const { rows, waitingBatches, isTooMuch } = await this.store.readMetrics(accountId, query);
    if (isTooMuch === true)
      throw new ProtocolError(
        query.groupBy === undefined ? 'since' : 'group_by',
        `may group or filter at most ${query.mostTraces ?? MOST_GROUPED_TRACES} traces, but more started in the period. Use a shorter period`,
      );
    const { shown, more } = largestGroups(rows);
    const items: MetricsItem[] = [];
    const pieces = new Pieces(ROWS_IN_A_TURN);
    for (const row of query.groupBy === undefined ? shown.sort(byTimeAndKey) : shown) {
      await pieces.fit(1);
      items.push(toMetricsItem(row));
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
