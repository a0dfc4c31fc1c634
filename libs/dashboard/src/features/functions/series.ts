import type { MetricsAnswer, MetricsItem } from '@dacapo/protocol';
import type { Bucket } from './api.js';

/** One hour or day of metrics. */
export interface Point {
  at: string;
  /** Absent when no call started in it. */
  item?: MetricsItem;
}

const HOUR_MS = 3600 * 1000;
const LENGTH_MS: Record<Bucket, number> = { hour: HOUR_MS, day: 24 * HOUR_MS };

/** Every hour or day of a response, including empty ones. @param key picks one key of a response for all keys */
export function buildSeries({ since, until, items }: MetricsAnswer, bucket: Bucket, key?: string): Point[] {
  const byTime = new Map<number, MetricsItem>();
  for (const item of items) {
    const matchesKey = key === undefined || item.trace_function_key === key;
    if (matchesKey && item.at !== undefined) byTime.set(Date.parse(item.at), item);
  }
  const points: Point[] = [];
  for (let time = Date.parse(since); time < Date.parse(until); time += LENGTH_MS[bucket]) {
    const item = byTime.get(time);
    points.push({ at: new Date(time).toISOString(), ...(item && { item }) });
  }
  return points;
}

/** When the hour or day that begins then ends. */
export function endOfBucket(at: string, bucket: Bucket): string {
  return new Date(Date.parse(at) + LENGTH_MS[bucket]).toISOString();
}

/** The end of an axis: the smallest of 1, 2, 2.5, 5 and 10 times a power of ten that is at least `max`. */
export function axisEnd(max: number): number {
  if (max <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(max));
  const step = [1, 2, 2.5, 5, 10].find((each) => each * power >= max * (1 - 1e-9)) ?? 10;
  return step * power;
}
