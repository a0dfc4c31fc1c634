import type { SpanSummary } from '@dacapo/protocol';
import { startUsOf } from './span-start.js';

export interface Timeline {
  startUs: number;
  /** At least 1, so that shares are finite. */
  lengthUs: number;
}

/** Position of a span's bar, as shares of the timeline from 0 to 1. */
export interface Bar {
  offset: number;
  width: number;
}

/** From the first start to the last end of a trace's spans. */
export function buildTimeline(spans: readonly SpanSummary[]): Timeline {
  let startUs = Infinity;
  let endUs = -Infinity;
  for (const span of spans) {
    const spanStartUs = startUsOf(span);
    if (spanStartUs === undefined) continue;
    startUs = Math.min(startUs, spanStartUs);
    endUs = Math.max(endUs, spanStartUs + durationUs(span));
  }
  return startUs <= endUs ? { startUs, lengthUs: Math.max(endUs - startUs, 1) } : { startUs: 0, lengthUs: 1 };
}

/** The part of a span inside the timeline. An unfinished span extends to its end. */
export function placeBar(span: SpanSummary, { startUs, lengthUs }: Timeline): Bar {
  const offsetUs = (startUsOf(span) ?? startUs) - startUs;
  const offset = clamp(offsetUs / lengthUs);
  const end = span.status === 'unfinished' ? 1 : clamp((offsetUs + durationUs(span)) / lengthUs);
  return { offset, width: end - offset };
}

/** The time of a span with a tenth of it at either side, inside the whole. */
export function zoomTo(span: SpanSummary, whole: Timeline): Timeline {
  const { offset, width } = placeBar(span, whole);
  const start = Math.max(0, offset - width / 10);
  const end = Math.min(1, offset + width * 1.1);
  return timelineBetween(whole, start, end);
}

/** The part of a timeline between two shares of it, in either order. */
export function timelineBetween({ startUs, lengthUs }: Timeline, from: number, to: number): Timeline {
  const start = clamp(Math.min(from, to));
  const end = clamp(Math.max(from, to));
  return { startUs: startUs + start * lengthUs, lengthUs: Math.max((end - start) * lengthUs, 1) };
}

/** Milliseconds from the start of the trace to the start of the span. */
export function offsetMs(span: SpanSummary, timeline: Timeline): number {
  return Math.max(0, ((startUsOf(span) ?? timeline.startUs) - timeline.startUs) / 1000);
}

function durationUs(span: SpanSummary): number {
  return (span.duration_ms ?? 0) * 1000;
}

function clamp(share: number): number {
  return Math.min(Math.max(share, 0), 1);
}
