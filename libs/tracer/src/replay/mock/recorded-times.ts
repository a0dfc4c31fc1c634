import { parseTimestamp, type RecordedCall } from '@dacapo/protocol';

/** When a recorded call began and ended, in microseconds since the epoch. */
export interface RecordedTimes {
  readonly startUs: number;
  /** `Infinity` if it never ended. */
  readonly endUs: number;
}

export function readTimes({ started_at, duration_ms }: RecordedCall): RecordedTimes {
  const startUs = parseTimestamp(started_at) ?? 0;
  return { startUs, endUs: duration_ms === undefined ? Infinity : startUs + Math.round(duration_ms * 1000) };
}

/** Uncertainty of recordings from before the upgrade: starts were recorded in whole milliseconds. */
const COARSE_US = 1000;

/** Possible error of recorded times in microseconds: 0, unless all come from a coarse clock. */
export function measureCoarseness(calls: readonly RecordedCall[]): number {
  const isCoarse = calls.length > 1 && calls.every((call) => readTimes(call).startUs % COARSE_US === 0);
  return isCoarse ? COARSE_US : 0;
}
