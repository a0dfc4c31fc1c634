import { formatTimestamp, type MetricsAnswer, type MetricsItem } from '@dacapo/protocol';
import { Injectable } from '@nestjs/common';
import { Pieces } from '../memory/pieces.js';
import { HOUR_US } from '../storage/metrics/contribution.js';
import { type MetricsQuery, type MetricsRow, startOf } from '../storage/metrics/metrics-query.js';
import { RELATIVE_ERROR, type Tally } from '../storage/metrics/tally.js';
import { SpanStore } from '../storage/span-store.js';

/** Rows made items in one go; other requests have their turn in between. */
const ROWS_IN_A_TURN = 100;

@Injectable()
export class MetricsService {
  constructor(private readonly store: SpanStore) {}

  /** Of the full hours, or the full days where rows are of days, that the time touches. */
  async read(accountId: string, asked: MetricsQuery): Promise<MetricsAnswer> {
    const { hours = 1 } = asked;
    const query = {
      ...asked,
      sinceUs: startOf(asked.sinceUs, hours),
      untilUs: startOf(asked.untilUs + hours * HOUR_US - 1, hours),
    };
    const { rows, waitingBatches } = await this.store.readMetrics(accountId, query);
    const items: MetricsItem[] = [];
    const pieces = new Pieces(ROWS_IN_A_TURN);
    for (const row of rows.sort(byTimeAndKey)) {
      await pieces.fit(1);
      items.push(toItem(row));
    }
    return {
      since: formatTimestamp(query.sinceUs),
      until: formatTimestamp(query.untilUs),
      relative_error: RELATIVE_ERROR,
      waiting_batches: waitingBatches,
      items,
    };
  }
}

function byTimeAndKey(left: MetricsRow, right: MetricsRow): number {
  const byTime = (left.startUs ?? 0) - (right.startUs ?? 0);
  if (byTime !== 0) return byTime;
  return left.traceFunctionKey < right.traceFunctionKey ? -1 : 1;
}

function toItem({ traceFunctionKey: key, startUs, tally }: MetricsRow): MetricsItem {
  return {
    ...(key !== '' && { trace_function_key: key }),
    ...(startUs !== undefined && { at: formatTimestamp(startUs) }),
    calls: tally.calls,
    errors: tally.errors,
    ...durationsOf(tally),
    model_calls: tally.modelCalls,
    input_tokens: tally.inputTokens,
    output_tokens: tally.outputTokens,
    ...(tally.modelCalls > tally.unpricedCalls && { cost_usd: tally.costNanoUsd / 1e9 }),
    ...(tally.unpricedCalls > 0 && { unpriced_calls: tally.unpricedCalls }),
  };
}

function durationsOf(tally: Tally): Pick<MetricsItem, 'p50_ms' | 'p95_ms'> {
  const [p50, p95] = [tally.percentile(0.5), tally.percentile(0.95)];
  return p50 === undefined || p95 === undefined ? {} : { p50_ms: p50, p95_ms: p95 };
}
