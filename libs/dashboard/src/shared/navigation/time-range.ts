const HOUR_MS = 3600 * 1000;

/** Periods that end now, by their names in addresses. */
export const TIME_RANGES = [
  { range: '1h', label: 'Last hour', ms: HOUR_MS },
  { range: '24h', label: 'Last 24 hours', ms: 24 * HOUR_MS },
  { range: '7d', label: 'Last 7 days', ms: 7 * 24 * HOUR_MS },
  { range: '30d', label: 'Last 30 days', ms: 30 * 24 * HOUR_MS },
] as const;

/** The start of a period as an ISO time, or `undefined` for an unknown range. */
export function startOfRange(range: string): string | undefined {
  const known = TIME_RANGES.find((each) => each.range === range);
  return known && new Date(Date.now() - known.ms).toISOString();
}

/** The period of the same length before the range, from hour to hour, so that none is in both. */
export function periodBefore(range: string): { since: string; until: string } | undefined {
  const known = TIME_RANGES.find((each) => each.range === range);
  if (known === undefined) return undefined;
  const untilMs = Math.floor((Date.now() - known.ms) / HOUR_MS) * HOUR_MS;
  return { since: new Date(untilMs - known.ms).toISOString(), until: new Date(untilMs).toISOString() };
}
