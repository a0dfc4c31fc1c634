import type { BamlCall } from './baml-types.js';
import type { Fields } from '../readers.js';

/**
 * The output tokens of an Anthropic stream, from its last `message_delta`: the runtime reports what `message_start`
 * said, before there was any output.
 */
export function streamedOutputTokens(call: BamlCall): number | undefined {
  if (call.sseResponses === undefined) return undefined;
  for (const event of (call.sseResponses() ?? []).reverse()) {
    const data = jsonOf(event);
    if (data?.['type'] !== 'message_delta') continue;
    const tokens = (data['usage'] as Fields | undefined)?.['output_tokens'];
    if (typeof tokens === 'number') return tokens;
  }
  return undefined;
}

function jsonOf(event: { json(): unknown }): Fields | undefined {
  try {
    const data = event.json();
    return typeof data === 'object' && data !== null ? (data as Fields) : undefined;
  } catch {
    return undefined;
  }
}
