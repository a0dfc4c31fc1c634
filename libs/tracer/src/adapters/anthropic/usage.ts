import { type UsageRecord, toMembers } from '@dacapo/protocol';
import { count, sum, text } from '../readers.js';

/** Anthropic counts cached tokens separately; our input tokens include them. */
export function readUsage(usage: unknown): UsageRecord {
  const facts = toMembers(usage);
  const { input_tokens: rest, output_tokens: output } = facts;
  const read = facts['cache_read_input_tokens'] ?? undefined;
  const written = facts['cache_creation_input_tokens'] ?? undefined;
  const input = typeof rest === 'number' ? sum(rest, read, written) : undefined;
  return {
    ...count('input_tokens', input),
    ...count('output_tokens', output),
    ...count('total_tokens', input === undefined ? undefined : sum(input, output)),
    ...count('cached_input_tokens', read),
    ...count('cache_creation_input_tokens', written),
    ...count('reasoning_tokens', toMembers(facts['output_tokens_details'])['thinking_tokens']),
    ...text('service_tier', facts['service_tier']),
  };
}
