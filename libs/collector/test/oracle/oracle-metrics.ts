import { parseTimestamp } from '@dacapo/protocol';
import { contributionOf, type MetricSpan } from '../../src/storage/metrics/contribution.js';
import {
  type MetricsQuery,
  type MetricsRow,
  MetricsRows,
  startOf,
} from '../../src/storage/metrics/metrics-query.js';
import { spanUsageOf, type StoredSpan } from '../../src/storage/span-usage.js';
import type { View } from './trace-view.js';

function usedBy(span: StoredSpan): Pick<MetricSpan, 'inputTokens' | 'outputTokens' | 'costUsd'> {
  const {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cost_usd: costUsd,
  } = spanUsageOf(span) ?? {};
  return { inputTokens, outputTokens, costUsd };
}

/** Counts all spans anew. */
export function metricsOf(views: readonly View[], query: MetricsQuery): MetricsRow[] {
  const { sinceUs, untilUs, traceFunctionKey: wanted, hours, replays } = query;
  const rows = new MetricsRows();
  for (const { spans } of views) {
    const contribution = contributionOf(
      spans.map((span) => ({
        ...usedBy(span),
        ...{ spanId: span.id, parentId: span.parent_id, traceFunctionKey: span.trace_function_key },
        ...{ type: span.type, status: span.status, isReplay: span.test_run_id !== undefined },
        ...{ startedUs: parseTimestamp(span.started_at) ?? 0, durationMs: span.duration_ms },
      })),
    );
    for (const { traceFunctionKey: key, isReplay, hourUs, tally } of contribution) {
      const isMeant =
        (wanted === undefined ? key !== '' : key === wanted) &&
        (replays === 'include' || isReplay === (replays === 'only')) &&
        hourUs >= sinceUs &&
        hourUs < untilUs;
      if (isMeant) rows.at(key, hours === undefined ? undefined : startOf(hourUs, hours)).add(tally);
    }
  }
  return rows.all();
}
