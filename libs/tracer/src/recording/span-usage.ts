import type { UsageRecord } from '@dacapo/protocol';
import type { SpanUsage } from '../context/current-span.js';
import { InvalidNoteError, describeKind } from './errors.js';

/** The recorded names of amounts (docs/usage.md). */
const AMOUNTS = {
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  cachedInputTokens: 'cached_input_tokens',
  cacheWriteTokens: 'cache_creation_input_tokens',
  reasoningTokens: 'reasoning_tokens',
  inputAudioTokens: 'input_audio_tokens',
  outputAudioTokens: 'output_audio_tokens',
  costUsd: 'cost_usd',
} as const satisfies Record<Exclude<keyof SpanUsage, 'model' | 'provider'>, string>;

/** Converts a usage to its recorded form. @throws InvalidNoteError */
export function readSpanUsage(found: unknown): UsageRecord {
  if (typeof found !== 'object' || found === null) throw wrong(describeKind(found));
  const usage: UsageRecord = {};
  for (const [name, value] of Object.entries(found)) {
    if (value === undefined) continue;
    if (name === 'model' || name === 'provider') {
      if (typeof value !== 'string') throw wrong(`a ${name} that is not a text`);
      usage[name] = value;
    } else if (Object.hasOwn(AMOUNTS, name)) {
      if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
        throw wrong(`${name} that is not a number of at least 0`);
      usage[AMOUNTS[name as keyof typeof AMOUNTS]] = value;
    } else throw wrong(`${name.slice(0, 100)}, which is not a known field`);
  }
  return usage;
}

/** Adds up amounts. For other fields, the last value counts. */
export function addUsage(before: UsageRecord | undefined, more: UsageRecord): UsageRecord | undefined {
  const entries = Object.entries(more);
  if (entries.length === 0) return before;
  const sum: UsageRecord = { ...before };
  for (const [name, value] of entries) {
    const earlier = sum[name];
    if (typeof earlier !== 'number' || typeof value !== 'number') sum[name] = value;
    // The first token of several calls is that of the first.
    else if (name !== 'time_to_first_token_ms') sum[name] = earlier + value;
  }
  return sum;
}

function wrong(usage: string): InvalidNoteError {
  return new InvalidNoteError('addUsage', usage);
}
