import { sha256 } from '../hashing.js';
import type { Baseline } from './item-baseline.js';
import type { PlannedItem } from './planned-item.js';

/** Part of each hash: scores of a tracer that gives evaluators anything else are not reused. */
const CONTEXT_VERSION = 1;

/**
 * Everything that evaluators see of a baseline, as it is stored, and where it comes from: scores never leave the call or the
 * example that they were given to.
 *
 * @returns `undefined` where the outcome is not a stored one
 */
export function baselineHash(
  { call, stored, expected, metadata }: PlannedItem,
  { compared, earlier }: Baseline,
): string | undefined {
  if (earlier?.stored === undefined) return undefined;
  const { trace_id, span_id, status, output, error, meta } = call ?? {};
  return sha256(
    JSON.stringify([
      CONTEXT_VERSION,
      [trace_id, span_id, stored?.id],
      [stored?.input, stored?.meta],
      [status, output, error, meta],
      [expected?.stored, compared?.kind, compared?.stored],
      [earlier.stored, earlier.usage, metadata],
    ]),
  );
}
