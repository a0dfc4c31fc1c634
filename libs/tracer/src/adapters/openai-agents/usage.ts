import type { UsageRecord } from '@dacapo/protocol';
import { count } from '../readers.js';

/** Usage in either vocabulary: of the responses and of the chat completions endpoint. */
export function readUsage(usage: unknown, model?: unknown): UsageRecord | undefined {
  const facts = (typeof usage === 'object' && usage !== null ? usage : {}) as Record<string, unknown>;
  const record: UsageRecord = {
    ...(typeof model === 'string' && { model }),
    ...count('input_tokens', facts['input_tokens'] ?? facts['prompt_tokens']),
    ...count('output_tokens', facts['output_tokens'] ?? facts['completion_tokens']),
    ...count('total_tokens', facts['total_tokens']),
    ...count(
      'cached_input_tokens',
      facts['cached_input_tokens'] ?? detailOf(facts, 'input', 'cached_tokens'),
    ),
    ...count('reasoning_tokens', detailOf(facts, 'output', 'reasoning_tokens')),
    ...count('requests', facts['requests']),
  };
  return Object.keys(record).length === 0 ? undefined : record;
}

function detailOf(usage: Record<string, unknown>, side: 'input' | 'output', name: string): unknown {
  const other = side === 'input' ? 'prompt' : 'completion';
  const details = usage[`${side}_tokens_details`] ?? usage[`${other}_tokens_details`];
  return typeof details === 'object' && details !== null
    ? (details as Record<string, unknown>)[name]
    : undefined;
}
