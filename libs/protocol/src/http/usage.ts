import type { UsageRecord } from '../records/span.js';

/** Usage of a trace's counted model calls: `llm` spans without an `llm` span with usage below them. */
export interface TraceUsage {
  /** Number of counted model calls. */
  model_calls: number;
  input_tokens?: number;
  output_tokens?: number;
  /** In US dollars. Absent if no price is known. */
  cost_usd?: number;
  /** Calls without a known price, which `cost_usd` excludes. Absent if all have one. */
  unpriced_calls?: number;
}

/** Known usage of one model call. */
export interface SpanUsage {
  model?: string;
  input_tokens?: number;
  output_tokens?: number;
  /** In US dollars, at the prices of the time of the call. Absent, never 0, for a model without a price. */
  cost_usd?: number;
  /** Source of the cost, such as `genai-prices@0.1.8`; `reported`: the recording contains it. */
  price_version?: string;
}

/** `POST` {@link ROUTES.costs}: what model calls would cost now; at most `LIMITS.pricedUsages`. */
export interface ComputeCostsRequest {
  /** Recorded usages. A recorded cost is ignored. */
  usages: UsageRecord[];
}

export interface ComputeCostsAnswer {
  /** The price list that was used. */
  price_version: string;
  /** In US dollars, in the order of `usages`. `null`: the model has no price, or its tokens are unknown. */
  costs: (number | null)[];
}

/** `GET` {@link ROUTES.metrics}: durations and usage of calls that started in a period. */
export interface MetricsAnswer {
  /** Start of the period, rounded down to the hour, or with `bucket=day` to the UTC day. */
  since: string;
  /** End of the period (exclusive), rounded up to the hour or day. */
  until: string;
  /** Maximum relative error of `p50_ms` and `p95_ms`: 0.01 is 1 %. */
  relative_error: number;
  /** Ingested batches that the figures do not include yet. */
  waiting_batches: number;
  /** Sorted by time, then by key. Keys and times without a call are absent. */
  items: MetricsItem[];
}

export interface MetricsItem {
  /** Absent: the figures count whole traces as calls. */
  trace_function_key?: string;
  /** Start of the hour or day. Absent for the whole period. */
  at?: string;
  calls: number;
  /** Failed calls. */
  errors: number;
  /** Of ended calls, in milliseconds. Absent if none ended. */
  p50_ms?: number;
  p95_ms?: number;
  /** Counted model calls at or below these calls, with their usage. */
  model_calls: number;
  input_tokens: number;
  output_tokens: number;
  /** In US dollars, rounded to billionths. Absent if no model call has a known price. */
  cost_usd?: number;
  /** Model calls without a known price, which `cost_usd` excludes. Absent if all have one. */
  unpriced_calls?: number;
}
