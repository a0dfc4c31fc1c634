import { type Evidence, pBeyond, type TestedLimit } from '../statistics/evidence.js';
import { holm } from '../statistics/holm.js';

/** The limits of a `Gate` that need evidence. */
export interface EvidenceLimits {
  /** Default: 0.95. */
  confidence?: number;
  scores?: Readonly<Record<string, { maxDrop?: number }>>;
  p95Ms?: { maxRise?: number };
  tokens?: { maxRise?: number };
  costUsd?: { maxRise?: number };
}

/** Evidence by limit; scores are named `scores.<name>`. */
export type EvidenceByLimit = ReadonlyMap<string, Evidence>;

/**
 * Corrects the tested limits for multiple testing, by Holm's method.
 *
 * @returns the limit to test by the name of its evidence
 */
export function correctedLimits(
  { scores = {}, p95Ms, tokens, costUsd }: EvidenceLimits,
  evidence: EvidenceByLimit,
): Map<string, TestedLimit> {
  const drops = Object.entries(scores).map(
    ([name, { maxDrop }]) => [`scores.${name}`, maxDrop, 'drop'] as const,
  );
  const rises = Object.entries({ p95Ms, tokens, costUsd }).map(
    ([name, limit]) => [name, limit?.maxRise, 'rise'] as const,
  );
  const tested = [...drops, ...rises].flatMap(([name, allowed, direction]) => {
    const found = evidence.get(name);
    if (allowed === undefined || found === undefined) return [];
    const limit = { limit: direction === 'drop' ? -allowed : allowed, direction };
    return [{ name, limit, p: pBeyond(found, limit) }];
  });
  const corrected = holm(tested.map(({ p }) => p));
  return new Map(
    tested.map(({ name, limit, p }, index) => [name, { ...limit, correction: (corrected[index] ?? 1) / p }]),
  );
}
