import type { MetricsRow } from '../storage/ports/metrics-query.js';

export interface Release {
  release: string;
  /** The hour of its first call. */
  sinceUs: number;
}

/**
 * The release that began last, and the one that began before it; `undefined` unless both are among the rows, which are hours by release.
 * Of two that began in one hour, the one that was called last is the later one.
 */
export function lastReleases(rows: readonly MetricsRow[]): [latest: Release, previous: Release] | undefined {
  const found = new Map<string, Release & { lastUs: number }>();
  for (const { group, startUs } of rows) {
    if (typeof group !== 'string' || startUs === undefined) continue;
    const known = found.get(group) ?? { release: group, sinceUs: startUs, lastUs: startUs };
    found.set(group, {
      release: group,
      sinceUs: Math.min(known.sinceUs, startUs),
      lastUs: Math.max(known.lastUs, startUs),
    });
  }
  const [latest, previous] = [...found.values()].sort(
    (left, right) => right.sinceUs - left.sinceUs || right.lastUs - left.lastUs,
  );
  return latest && previous && [latest, previous];
}
