import type { Client } from '@dacapo/client';
import type { ContextExpansion } from '@dacapo/protocol';
import { InvalidOptionError } from '../errors.js';

/** The result of `getContext`. */
export interface GetContextOptions {
  /** Maximum number of passages, 1 to 50. Default: 5, or 50 with `maxTokens`. */
  limit?: number;
  /** Approximate token budget for all passages, 1 to 100,000. The first passage is always returned. */
  maxTokens?: number;
  /** What to add to each passage: the sections before and after it, or its whole page, up to the budget. */
  expand?: ContextExpansion;
  /** Such as `python`, `ts` or `C#`. Skips passages with code only in other programming languages. */
  language?: string;
}

/** @throws InvalidOptionError when `limit` or `maxTokens` is not a whole number of at least 1 */
export function toContextRequest(
  indexId: string | readonly string[],
  query: string,
  { limit, maxTokens, expand, language }: GetContextOptions,
): Parameters<Client['developer']['getContext']>[0] {
  return {
    ...(typeof indexId === 'string' ? { index_id: indexId } : { index_ids: [...indexId] }),
    query,
    limit: count('limit', limit),
    max_tokens: count('maxTokens', maxTokens),
    expand,
    language,
  };
}

/** Checks a number, because JSON would convert NaN to `null`, which counts as absent. */
function count(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= 1)) return value;
  throw new InvalidOptionError(
    option,
    `must be a whole number of at least 1, not ${value}`,
    'Omit it for the default.',
  );
}
