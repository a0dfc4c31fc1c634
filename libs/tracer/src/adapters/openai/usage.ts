import type { UsageRecord } from '@dacapo/protocol';
import { count, type Fields, fieldsOf, text } from '../readers.js';

/** Usage in either vocabulary: of the responses and of the chat completions endpoint. */
export function readUsage(usage: unknown, model?: unknown): UsageRecord | undefined {
  const facts = fieldsOf(usage);
  const record: UsageRecord = {
    ...text('model', model),
    ...count('input_tokens', facts['input_tokens'] ?? facts['prompt_tokens']),
    ...count('output_tokens', facts['output_tokens'] ?? facts['completion_tokens']),
    ...count('total_tokens', facts['total_tokens']),
    ...count(
      'cached_input_tokens',
      facts['cached_input_tokens'] ?? detailOf(facts, 'input', 'cached_tokens'),
    ),
    ...count('reasoning_tokens', detailOf(facts, 'output', 'reasoning_tokens')),
    ...count('input_audio_tokens', detailOf(facts, 'input', 'audio_tokens')),
    ...count('output_audio_tokens', detailOf(facts, 'output', 'audio_tokens')),
    ...count('requests', facts['requests']),
  };
  return Object.keys(record).length === 0 ? undefined : record;
}

function detailOf(usage: Fields, side: 'input' | 'output', name: string): unknown {
  const other = side === 'input' ? 'prompt' : 'completion';
  const details = usage[`${side}_tokens_details`] ?? usage[`${other}_tokens_details`];
  return (
    fieldsOf(details)[name] ?? (side === 'input' ? fieldsOf(usage['input_token_details'])[name] : undefined)
  );
}
