import { countedSpans, usageOf } from '@dacapo/evaluation';
import { LIMITS, type SpanRecord, type SpanSummary, type SpanUsage, type TraceUsage } from '@dacapo/protocol';
import type { SpanCost } from '../../prices/price-list.js';

/** A span as it is stored: what was sent, and its cost. */
export interface StoredSpan extends SpanRecord {
  cost?: SpanCost;
}

/** What a model call used, for lists; `undefined` of other spans, and of those that say nothing of it. */
export function spanUsageOf(
  { type, span_data: { usage }, cost: stored }: StoredSpan,
  cost = stored,
): SpanUsage | undefined {
  if (type !== 'llm' || usage === undefined) return undefined;
  const { model } = usage;
  const { inputTokens, outputTokens } = usageOf(usage);
  const facts: SpanUsage = {};
  if (model !== undefined && model.length <= LIMITS.labelLength) facts.model = model;
  if (inputTokens !== undefined) facts.input_tokens = inputTokens;
  if (outputTokens !== undefined) facts.output_tokens = outputTokens;
  if (cost !== undefined) {
    facts.cost_usd = cost.usd;
    facts.price_version = cost.priceVersion;
  }
  return Object.keys(facts).length === 0 ? undefined : facts;
}

const AMOUNTS = ['input_tokens', 'output_tokens', 'cost_usd'] as const;

/** A span of a trace, as far as its usage is summed up. */
type UsedSpan = Pick<SpanSummary, 'id' | 'type'> & {
  parent_id?: string | undefined;
  usage?: SpanUsage | undefined;
};

/** What the counted model calls among these spans of one trace used; `undefined` when none says so. */
export function traceUsageOf(spans: readonly UsedSpan[]): TraceUsage | undefined {
  const counted = countedSpans(
    spans.map(({ id, parent_id, type, usage }) => ({ spanId: id, parentId: parent_id, type, used: usage })),
    ({ used }) => used !== undefined && AMOUNTS.some((name) => used[name] !== undefined),
  );
  if (counted.length === 0) return undefined;
  const total: TraceUsage = { model_calls: counted.length };
  for (const { used = {} } of counted) {
    for (const name of AMOUNTS) {
      const amount = used[name];
      if (amount !== undefined) total[name] = (total[name] ?? 0) + amount;
    }
    if (used.cost_usd === undefined) total.unpriced_calls = (total.unpriced_calls ?? 0) + 1;
  }
  return total;
}
