import { countedSpans, readUsage } from '@dacapo/evaluation';
import { LIMITS, type SpanRecord, type SpanSummary, type SpanUsage, type TraceUsage } from '@dacapo/protocol';
import type { SpanCost } from '../../prices/price-list.js';

/** A stored span: the received record and its cost. */
export interface StoredSpan extends SpanRecord {
  cost?: SpanCost;
}

/** The usage of a model call, for lists; `undefined` for other spans and for a model call without usage. */
export function summarizeSpanUsage(
  { type, span_data: { usage }, cost: stored }: StoredSpan,
  cost = stored,
): SpanUsage | undefined {
  if (type !== 'llm' || usage === undefined) return undefined;
  const { model } = usage;
  const { inputTokens, outputTokens } = readUsage(usage);
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

/** The fields of a span that sums of usage need. */
type UsedSpan = Pick<SpanSummary, 'id' | 'type'> & {
  parent_id?: string | undefined;
  usage?: SpanUsage | undefined;
};

/** The usage of the counted model calls in one trace; `undefined` if none has usage. */
export function sumTraceUsage(spans: readonly UsedSpan[]): TraceUsage | undefined {
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
