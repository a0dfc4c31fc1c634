import { formatTimestamp, parseTimestamp } from '../timestamp.js';

/** The last nanosecond of the year 9999: later times have no ISO 8601 form. */
export const LAST_NANOS = 253_402_300_799_999_999_999n;

/** ISO 8601 with microseconds; the nearest one for a time outside the years 1970 to 9999. */
export function formatNanos(nanos: bigint): string {
  const known = nanos < 0n ? 0n : nanos > LAST_NANOS ? LAST_NANOS : nanos;
  return formatTimestamp(Number(known / 1000n));
}

export function parseNanos(timestamp: string): bigint {
  return BigInt(parseTimestamp(timestamp) ?? 0) * 1000n;
}
