import type { JsonValue } from '../json/json-value.js';
import type { UsageRecord } from '../records/span.js';
import type { OtlpField } from './fields.js';

const SAME_NAME = [
  ...(['model', 'response_model', 'provider', 'service_tier', 'input_tokens', 'output_tokens'] as const),
  ...(['total_tokens', 'cached_input_tokens', 'cache_creation_input_tokens', 'reasoning_tokens'] as const),
  ...(['input_audio_tokens', 'output_audio_tokens', 'cost_usd'] as const),
] satisfies readonly OtlpField[];

/** Reads the usage of a span. @returns `undefined` if there is none */
export function readUsage(values: ReadonlyMap<OtlpField, JsonValue>): UsageRecord | undefined {
  const usage: UsageRecord = {};
  for (const field of SAME_NAME) {
    const value = values.get(field);
    if (value !== undefined) usage[field] = value as string & number;
  }
  const firstMs = values.get('first_token_ms') ?? seconds(values.get('first_token_s'));
  if (firstMs !== undefined) usage['time_to_first_token_ms'] = firstMs;
  return Object.keys(usage).length === 0 ? undefined : withCached(usage);
}

function seconds(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? Math.round(value * 1e6) / 1e3 : undefined;
}

/** Includes cached tokens in the input. If they exceed it, the sender counted them separately. */
function withCached(usage: UsageRecord): UsageRecord {
  const { input_tokens: input, cached_input_tokens: read, cache_creation_input_tokens: written } = usage;
  const cached = (typeof read === 'number' ? read : 0) + (typeof written === 'number' ? written : 0);
  return input !== undefined && cached > input ? { ...usage, input_tokens: input + cached } : usage;
}
