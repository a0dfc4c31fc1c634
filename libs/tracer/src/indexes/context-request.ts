import type { Client } from '@dacapo/client';
import type { ContextExpansion } from '@dacapo/protocol';
import { InvalidOptionError } from '../errors.js';

/** What `getContext` gives. */
export interface GetContextOptions {
  /** Passages at most, 1 to 50; 5 when absent, 50 beside `maxTokens`. */
  limit?: number;
  /** About how many tokens the passages may have together, 1 to 100,000. The first comes in any case. */
  maxTokens?: number;
  /** What comes with each passage: the sections before and after it, or its whole page, as far as the budget lasts. */
  expand?: ContextExpansion;
  /** Such as `python`, `ts` or `C#`: passages whose code is in other programming languages alone are left out. */
  language?: string;
}

/** @throws InvalidOptionError when `limit` or `maxTokens` is no whole number from 1 up */
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

/** JSON would make `null` of NaN, which counts as absent. */
function count(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= 1)) return value;
  throw new InvalidOptionError(
    option,
    `must be a whole number from 1 up, not ${value}`,
    'Leave it out for the default.',
  );
}
