import type { MetricsAnswer, MetricsItem } from '@dacapo/protocol';
import type { Bucket } from './api.js';

/** An hour or a day, and what happened in it. */
export interface Point {
  at: string;
  /** Absent: no call started then. */
  item?: MetricsItem;
}

const HOUR_MS = 3600 * 1000;
const LENGTH_MS: Record<Bucket, number> = { hour: HOUR_MS, day: 24 * HOUR_MS };

/** Every hour or day of an answer in its order, those without a call too. @param key of an answer for every key */
export function seriesOf({ since, until, items }: MetricsAnswer, bucket: Bucket, key?: string): Point[] {
  const byTime = new Map<number, MetricsItem>();
  for (const item of items) {
    const isMeant = key === undefined || item.trace_function_key === key;
    if (isMeant && item.at !== undefined) byTime.set(Date.parse(item.at), item);
  }
  const points: Point[] = [];
  for (let time = Date.parse(since); time < Date.parse(until); time += LENGTH_MS[bucket]) {
    const item = byTime.get(time);
    points.push({ at: new Date(time).toISOString(), ...(item && { item }) });
  }
  return points;
}

/** The least of 1, 2, 2.5, 5 and 10 times a power of ten that is not less than `most`: where an axis ends. */
export function axisEnd(most: number): number {
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 2.5, 5, 10].find((each) => each * power >= most * (1 - 1e-9)) ?? 10;
  return step * power;
}
