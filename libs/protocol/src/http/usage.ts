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

/** `GET` {@link ROUTES.metrics}: calls that started in a span of time, and what they took and used. */
export interface MetricsAnswer {
  /** The full hour, or with `bucket=day` the day in UTC, in which the time that was asked for begins. */
  since: string;
  /** The full hour or day at or after its end: what started then is not in it. */
  until: string;
  /** How far `p50_ms` and `p95_ms` may be from the exact ones, of themselves: 0.01 is 1 %. */
  relative_error: number;
  /** Batches that were ingested and are not in the figures yet; 0 when they are those of all that is stored. */
  waiting_batches: number;
  /** By time, and at one time by key. Keys and times without a call are left out. */
  items: MetricsItem[];
}

export interface MetricsItem {
  /** Absent: these are whole traces, and a call is a trace. */
  trace_function_key?: string;
  /** When its hour or day begins; absent when it is of all of the time. */
  at?: string;
  calls: number;
  /** Calls that failed. */
  errors: number;
  /** Of the calls that ended, in milliseconds; absent when none did. */
  p50_ms?: number;
  p95_ms?: number;
  /** Counted model calls at or below these calls, and what these used. */
  model_calls: number;
  input_tokens: number;
  output_tokens: number;
  /** In US dollars, in whole billionths; absent when no model call has a known price. */
  cost_usd?: number;
  /** Model calls that have no known price: `cost_usd` is without them. Absent: all have one. */
  unpriced_calls?: number;
}
