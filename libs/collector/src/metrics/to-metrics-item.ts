import { formatTimestamp, type MetricsItem } from '@dacapo/protocol';
import type { MetricsRow } from '../storage/ports/metrics-query.js';
import type { Tally } from '../storage/rules/tally.js';

/** The figures of a row, as answers have them. */
export function toMetricsItem({ traceFunctionKey: key, group, startUs, tally }: MetricsRow): MetricsItem {
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
    ...toOwnCost(tally),
  };
}

function toOwnCost(tally: Tally): Pick<MetricsItem, `own_${string}` & keyof MetricsItem> {
  const { ownModelCalls: calls, ownUnpricedCalls: unpriced, ownCostNanoUsd } = tally;
  if (calls === 0) return {};
  return {
    own_model_calls: calls,
    ...(calls > unpriced && { own_cost_usd: ownCostNanoUsd / 1e9 }),
    ...(unpriced > 0 && { own_unpriced_calls: unpriced }),
  };
}

function toDurations(tally: Tally): Pick<MetricsItem, 'p50_ms' | 'p95_ms'> {
  const [p50, p95] = [tally.percentile(0.5), tally.percentile(0.95)];
  return p50 === undefined || p95 === undefined ? {} : { p50_ms: p50, p95_ms: p95 };
}
