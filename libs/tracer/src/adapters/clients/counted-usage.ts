import type { UsageRecord } from '@dacapo/protocol';

/** A request that only starts, cancels or asks for work that is paid elsewhere. */
export const NOTHING_USED: UsageRecord = { input_tokens: 0, output_tokens: 0, cost_usd: 0 };

const MAX_IDS = 10_000;
const counted = new Set<unknown>();

/** Whether the usage under this id was not counted yet in this process. Later calls with the id return `false`. */
export function isCountedFirst(id: unknown): boolean {
  if (counted.has(id)) return false;
  counted.add(id);
  const [oldest] = counted;
  if (counted.size > MAX_IDS) counted.delete(oldest);
  return true;
}
