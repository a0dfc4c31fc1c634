import type { UsageRecord } from '@dacapo/protocol';
import type { SpanUsage } from '../context/current-span.js';
import { InvalidNoteError, describeKind } from './errors.js';

/** Under which names the amounts are recorded (docs/usage.md). */
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

/** A usage as it is recorded. @throws InvalidNoteError */
export function readSpanUsage(found: unknown): UsageRecord {
  if (typeof found !== 'object' || found === null) throw wrong(describeKind(found));
  const usage: UsageRecord = {};
  for (const [name, value] of Object.entries(found)) {
    if (value === undefined) continue;
    if (name === 'model' || name === 'provider') {
      if (typeof value !== 'string') throw wrong(`a ${name} that is no text`);
      usage[name] = value;
    } else if (Object.hasOwn(AMOUNTS, name)) {
      if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
        throw wrong(`${name} that is no number from 0 up`);
      usage[AMOUNTS[name as keyof typeof AMOUNTS]] = value;
    } else throw wrong(`${name.slice(0, 100)}, which nothing reads`);
  }
  return usage;
}

/** Adds up what is counted; of the rest, what was used last stands. */
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
