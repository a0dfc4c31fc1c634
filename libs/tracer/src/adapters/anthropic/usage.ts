import type { UsageRecord } from '@dacapo/protocol';
import { count, toFields, text } from '../readers.js';

/** Anthropic counts cached tokens apart from the input. Here they are part of it. */
export function readUsage(usage: unknown): UsageRecord {
  const facts = toFields(usage);
  const { input_tokens: rest, output_tokens: output } = facts;
  const read = facts['cache_read_input_tokens'] ?? undefined;
  const written = facts['cache_creation_input_tokens'] ?? undefined;
  const input = typeof rest === 'number' ? rest + toNumber(read) + toNumber(written) : undefined;
  return {
    ...count('input_tokens', input),
    ...count('output_tokens', output),
    ...count('total_tokens', input === undefined ? undefined : input + toNumber(output)),
    ...count('cached_input_tokens', read),
    ...count('cache_creation_input_tokens', written),
    ...count('reasoning_tokens', toFields(facts['output_tokens_details'])['thinking_tokens']),
    ...text('service_tier', facts['service_tier']),
  };
}

function toNumber(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
