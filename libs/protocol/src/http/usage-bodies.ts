import type { UsageRecord } from '../records/span.js';

/** What the counted model calls of a trace used: `llm` spans that have no `llm` span with usage below them. */
export interface TraceUsage {
  /** How many there are. */
  model_calls: number;
  input_tokens?: number;
  output_tokens?: number;
  /** In US dollars; absent: no price is known. */
  cost_usd?: number;
  /** How many of them have no known price: `cost_usd` is without them. Absent: all have one. */
  unpriced_calls?: number;
}

/** What one model call used, as far as it is known. */
export interface SpanUsage {
  model?: string;
  input_tokens?: number;
  output_tokens?: number;
  /** In US dollars, of the prices at the time of the call. Never 0 for a model that has no price. */
  cost_usd?: number;
  /** What the cost was computed from, such as `genai-prices@0.1.8`; `reported`: it was recorded. */
  price_version?: string;
}

/** `POST` {@link ROUTES.costs}: what requests to models would cost now; at most `LIMITS.pricedUsages`. */
export interface ComputeCostsRequest {
  /** As they are recorded. A cost that was recorded with one is left aside. */
  usages: UsageRecord[];
}

export interface ComputeCostsAnswer {
  /** What the costs were computed from. */
  price_version: string;
  /** In US dollars, in the order asked; `null`: the model has no price, or its tokens were not told. */
  costs: (number | null)[];
}
