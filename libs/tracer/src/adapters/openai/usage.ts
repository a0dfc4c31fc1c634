import { type UsageRecord, type Members, toMembers } from '@dacapo/protocol';
import { count, text } from '../readers.js';

/** Reads usage with the names of the responses or the chat completions endpoint. */
export function readUsage(usage: unknown, model?: unknown): UsageRecord | undefined {
  const facts = toMembers(usage);
  const record: UsageRecord = {
    ...text('model', model),
    ...count('input_tokens', facts['input_tokens'] ?? facts['prompt_tokens']),
    ...count('output_tokens', facts['output_tokens'] ?? facts['completion_tokens']),
    ...count('total_tokens', facts['total_tokens']),
    ...count(
      'cached_input_tokens',
      facts['cached_input_tokens'] ?? findDetail(facts, 'input', 'cached_tokens'),
    ),
    ...count('reasoning_tokens', findDetail(facts, 'output', 'reasoning_tokens')),
    ...count('input_audio_tokens', findDetail(facts, 'input', 'audio_tokens')),
    ...count('output_audio_tokens', findDetail(facts, 'output', 'audio_tokens')),
    ...count('requests', facts['requests']),
    ...count('cost_usd', readCost(facts)),
  };
  return Object.keys(record).length === 0 ? undefined : record;
}

/** US dollars as OpenRouter and Perplexity bill them. With your own key, OpenRouter bills its fee in addition to the provider's price. */
function readCost({ cost, cost_details: details, is_byok: isOwnKey }: Members): unknown {
  if (typeof cost !== 'number') return toMembers(cost)['total_cost'];
  if (isOwnKey === undefined && details === undefined) return undefined;
  if (isOwnKey !== true) return cost;
  const { upstream_inference_cost: upstream } = toMembers(details);
  return typeof upstream === 'number' ? cost + upstream : undefined;
}

function findDetail(usage: Members, side: 'input' | 'output', name: string): unknown {
  const other = side === 'input' ? 'prompt' : 'completion';
  const details = [`${side}_tokens_details`, `${other}_tokens_details`, `${side}_token_details`];
  return details.map((each) => toMembers(usage[each])[name]).find((value) => value !== undefined);
}
