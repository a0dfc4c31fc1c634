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
