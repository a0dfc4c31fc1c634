/** How to read the value of a field. */
export type FieldFormat =
  /** A text; numbers and booleans become texts. */
  | 'text'
  /** A number of at least 0, perhaps as text. */
  | 'amount'
  /** `true` or `false`. */
  | 'flag'
  /** JSON. Texts that are JSON objects or lists are parsed. */
  | 'json'
  /** Like `json`, but JSON strings, numbers and booleans are parsed too. */
  | 'any_json'
  /** Any value, as JSON text. */
  | 'encoded'
  /** A list of texts. */
  | 'texts'
  /** An object of JSON values; several attributes are merged. */
  | 'members';

export interface FieldRow {
  readonly format: FieldFormat;
  /** What it becomes in the record, for the documentation. */
  readonly becomes: string;
  /** Whether an attribute with this meaning shows AI content. Spans with AI content are stored. */
  readonly isAi?: true;
}

/** The meanings of attributes. */
export const OTLP_FIELDS = {
  keep: { format: 'flag', becomes: 'nothing: the span is stored even without AI content' },
  key: { format: 'text', becomes: '`trace_function_key`', isAi: true },
  type: { format: 'text', becomes: '`type` and `kind`', isAi: true },
  kind: { format: 'text', becomes: '`kind`', isAi: true },
  level: { format: 'text', becomes: '`level`' },
  status: { format: 'text', becomes: '`status`' },
  duration: { format: 'amount', becomes: '`duration_ms`' },
  test_run: { format: 'text', becomes: '`test_run_id`' },
  source_span: { format: 'text', becomes: '`source_span_id`' },
  recorded_input: { format: 'encoded', becomes: '`span_data.input`, as recorded', isAi: true },
  recorded_output: { format: 'encoded', becomes: '`span_data.output`, as recorded', isAi: true },
  recorded_error: { format: 'encoded', becomes: '`span_data.error`' },
  recorded_contexts: { format: 'encoded', becomes: '`span_data.contexts`' },
  recorded_usage: { format: 'encoded', becomes: '`span_data.usage`', isAi: true },
  recorded_meta: { format: 'encoded', becomes: '`span_data.meta`' },
  prompt: { format: 'text', becomes: '`span_data.prompt`', isAi: true },
  session: { format: 'text', becomes: '`session_id`' },
  user: { format: 'text', becomes: '`user_id`' },
  environment: { format: 'text', becomes: '`environment`' },
  release: { format: 'text', becomes: '`release`' },
  tags: { format: 'texts', becomes: '`tags`' },
  metadata: { format: 'members', becomes: '`trace_metadata`' },
  trace_contexts: { format: 'members', becomes: '`trace_contexts`' },
  agent: { format: 'text', becomes: '`trace_function_key` of an agent', isAi: true },
  tool: { format: 'text', becomes: '`trace_function_key` of a tool', isAi: true },
  entity: { format: 'text', becomes: '`trace_function_key` of an agent or a tool', isAi: true },
  model: { format: 'text', becomes: '`usage.model`', isAi: true },
  response_model: { format: 'text', becomes: '`usage.response_model`', isAi: true },
  provider: { format: 'text', becomes: '`usage.provider`', isAi: true },
  service_tier: { format: 'text', becomes: '`usage.service_tier`' },
  input_tokens: { format: 'amount', becomes: '`usage.input_tokens`', isAi: true },
  output_tokens: { format: 'amount', becomes: '`usage.output_tokens`', isAi: true },
  total_tokens: { format: 'amount', becomes: '`usage.total_tokens`', isAi: true },
  cached_input_tokens: { format: 'amount', becomes: '`usage.cached_input_tokens`' },
  cache_creation_input_tokens: { format: 'amount', becomes: '`usage.cache_creation_input_tokens`' },
  reasoning_tokens: { format: 'amount', becomes: '`usage.reasoning_tokens`' },
  input_audio_tokens: { format: 'amount', becomes: '`usage.input_audio_tokens`' },
  output_audio_tokens: { format: 'amount', becomes: '`usage.output_audio_tokens`' },
  cost_usd: { format: 'amount', becomes: '`usage.cost_usd`' },
  first_token_ms: { format: 'amount', becomes: '`usage.time_to_first_token_ms`' },
  first_token_s: { format: 'amount', becomes: '`usage.time_to_first_token_ms`, from seconds' },
  system: { format: 'json', becomes: 'the system message of the input', isAi: true },
  input_messages: { format: 'json', becomes: 'the messages of the input', isAi: true },
  output_messages: { format: 'json', becomes: 'the message of the output', isAi: true },
  output_text: { format: 'text', becomes: 'the text of the output', isAi: true },
  output_reasoning: { format: 'text', becomes: 'the reasoning of the output', isAi: true },
  output_calls: { format: 'json', becomes: 'the tool calls of the output', isAi: true },
  arguments: { format: 'json', becomes: 'the input of a tool', isAi: true },
  result: { format: 'any_json', becomes: 'the output of a tool', isAi: true },
  input: { format: 'json', becomes: 'the input', isAi: true },
  output: { format: 'json', becomes: 'the output', isAi: true },
  settings: { format: 'members', becomes: 'members of a context', isAi: true },
  error_type: { format: 'text', becomes: '`error.name`' },
} as const satisfies Record<string, FieldRow>;

export type OtlpField = keyof typeof OTLP_FIELDS;
