import { parseTimestamp, type RecordedCall } from '@dacapo/protocol';

/** When a recorded call began and ended, in microseconds since the epoch. */
export interface RecordedTimes {
  readonly startUs: number;
  /** `Infinity` when it never ended. */
  readonly endUs: number;
}

export function timesOf({ started_at, duration_ms }: RecordedCall): RecordedTimes {
  const startUs = parseTimestamp(started_at) ?? 0;
  return { startUs, endUs: duration_ms === undefined ? Infinity : startUs + Math.round(duration_ms * 1000) };
}
