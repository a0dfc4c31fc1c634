import type { TracerError } from '../../errors.js';
import type { Timers } from '../timers.js';

const REPEAT_AFTER_MS = 61_000;

/** Passes on one error of each code a minute. */
export function reportOnceAMinute(
  report: (error: TracerError) => void,
  timers: Timers,
): (error: TracerError) => void {
  const reportedAtMs = new Map<string, number>();
  return (error) => {
    const nowMs = timers.nowMs();
    const lastMs = reportedAtMs.get(error.code);
    if (lastMs !== undefined && nowMs - lastMs < REPEAT_AFTER_MS) return;
    reportedAtMs.set(error.code, nowMs);
    report(error);
  };
}
