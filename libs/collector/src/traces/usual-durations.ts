import { parseTimestamp, type TraceDetail, type UsualDuration } from '@dacapo/protocol';
import { Injectable } from '@nestjs/common';
import { DAY_HOURS, DAY_US, floorToPeriod } from '../storage/ports/metrics-query.js';
import { SpanStore } from '../storage/ports/span-store.js';

const DAYS_BEFORE = 7;

/** Keys of a trace that are looked up: those with the longest spans. */
const MOST_KEYS = 20;

/** How long calls of the keys of a trace usually take. */
@Injectable()
export class UsualDurations {
  constructor(private readonly store: SpanStore) {}

  /**
   * By key, of the recorded calls on the day of the trace and on the seven days before. Keys without a call that ended, or whose calls are
   * not counted yet, are absent.
   */
  async read(
    accountId: string,
    { started_at, spans }: Pick<TraceDetail, 'started_at' | 'spans'>,
  ): Promise<Record<string, UsualDuration>> {
    const day = floorToPeriod(parseTimestamp(started_at) ?? 0, DAY_HOURS);
    const { rows } = await this.store.readMetrics(accountId, {
      traceFunctionKeys: keysOfLongest(spans),
      sinceUs: day - DAYS_BEFORE * DAY_US,
      untilUs: day + DAY_US,
      replays: 'exclude',
    });
    return Object.fromEntries(
      rows.flatMap(({ traceFunctionKey: key, tally }): [string, UsualDuration][] => {
        const [median, high] = [tally.percentile(0.5), tally.percentile(0.95)];
        if (median === undefined || high === undefined) return [];
        return [[key, { calls: tally.calls, p50_ms: median, p95_ms: high }]];
      }),
    );
  }
}

function keysOfLongest(spans: TraceDetail['spans']): string[] {
  const longest = new Map<string, number>();
  for (const { trace_function_key: key, duration_ms: durationMs = 0 } of spans)
    if (key !== '') longest.set(key, Math.max(longest.get(key) ?? 0, durationMs));
  return [...longest]
    .sort(([, left], [, right]) => right - left)
    .slice(0, MOST_KEYS)
    .map(([key]) => key);
}
