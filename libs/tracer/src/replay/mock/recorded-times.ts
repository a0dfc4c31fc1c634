import { parseTimestamp, type RecordedCall } from '@dacapo/protocol';

/** When a recorded call began and ended, in microseconds since the epoch. */
export interface RecordedTimes {
  readonly startUs: number;
  /** `Infinity` when it never ended. */
  readonly endUs: number;
}

export function readTimes({ started_at, duration_ms }: RecordedCall): RecordedTimes {
  const startUs = parseTimestamp(started_at) ?? 0;
  return { startUs, endUs: duration_ms === undefined ? Infinity : startUs + Math.round(duration_ms * 1000) };
}

/** What a clock of version 0.1 does not tell: it wrote the moment at which a call began in whole milliseconds. */
const COARSE_US = 1000;

/** How far times of calls may be off, in microseconds: 0, unless they were all told by a coarse clock. */
export function measureCoarseness(calls: readonly RecordedCall[]): number {
  const isCoarse = calls.length > 1 && calls.every((call) => readTimes(call).startUs % COARSE_US === 0);
  return isCoarse ? COARSE_US : 0;
}
