import type { MetricsItem } from '@dacapo/protocol';

const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** A period in bars of an hour or a day. */
export interface Period {
  sinceMs: number;
  untilMs: number;
  bucket: 'hour' | 'day';
}

export interface Bar {
  startMs: number;
  endMs: number;
  calls: number;
  errors: number;
  /** Within the times of the filter. */
  isListed: boolean;
}

/** What the reader chose: both absent is any time. */
export interface Times {
  sinceMs?: number;
  untilMs?: number;
}

const SHORTEST_MS = DAY_MS;
const LONGEST_MS = 90 * DAY_MS;
const USUAL_MS = 7 * DAY_MS;
const LONGEST_IN_HOURS_MS = 8 * DAY_MS;

/** The period around the chosen times: a day at least, 90 days at most, a week without any. */
export function choosePeriod({ sinceMs, untilMs }: Times, nowMs: number): Period {
  const end = Math.min(untilMs ?? nowMs, nowMs);
  const start = sinceMs !== undefined && sinceMs < end ? sinceMs : end - USUAL_MS;
  const lengthMs = Math.min(Math.max(end - start, SHORTEST_MS), LONGEST_MS);
  const missingMs = lengthMs - (end - start);
  // Around a short choice, so that it can be made longer.
  const until = Math.min(nowMs, end + Math.max(0, missingMs) / 2);
  const bucket = lengthMs <= LONGEST_IN_HOURS_MS ? 'hour' : 'day';
  const bucketMs = bucket === 'hour' ? HOUR_MS : DAY_MS;
  return {
    sinceMs: Math.floor((until - lengthMs) / bucketMs) * bucketMs,
    untilMs: Math.ceil(until / bucketMs) * bucketMs,
    bucket,
  };
}

/** A bar for each hour or day of the period, also where nothing was called. */
export function toBars(
  items: readonly MetricsItem[],
  { sinceMs, untilMs, bucket }: Period,
  times: Times,
): Bar[] {
  const bucketMs = bucket === 'hour' ? HOUR_MS : DAY_MS;
  const counted = new Map<number, { calls: number; errors: number }>();
  for (const { at = '', calls, errors } of items) {
    const startMs = Date.parse(at);
    const before = counted.get(startMs) ?? { calls: 0, errors: 0 };
    counted.set(startMs, { calls: before.calls + calls, errors: before.errors + errors });
  }
  const bars: Bar[] = [];
  for (let startMs = sinceMs; startMs < untilMs; startMs += bucketMs) {
    const endMs = startMs + bucketMs;
    bars.push({
      startMs,
      endMs,
      calls: 0,
      errors: 0,
      ...counted.get(startMs),
      isListed: endMs > (times.sinceMs ?? -Infinity) && startMs < (times.untilMs ?? Infinity),
    });
  }
  return bars;
}

/** The times from one bar to another, in either order. They stay open at the end of the period. */
export function timesBetween(bars: readonly Bar[], from: number, to: number): Times {
  const first = bars[Math.min(from, to)];
  const last = bars[Math.max(from, to)];
  if (first === undefined || last === undefined) return {};
  return { sinceMs: first.startMs, ...(last !== bars.at(-1) && { untilMs: last.endMs }) };
}
