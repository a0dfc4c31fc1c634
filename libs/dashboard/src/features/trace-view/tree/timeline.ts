import { parseTimestamp, type SpanSummary } from '@dacapo/protocol';

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
    const spanStartUs = parseTimestamp(span.started_at);
    if (spanStartUs === undefined) continue;
    startUs = Math.min(startUs, spanStartUs);
    endUs = Math.max(endUs, spanStartUs + durationUs(span));
  }
  return startUs <= endUs ? { startUs, lengthUs: Math.max(endUs - startUs, 1) } : { startUs: 0, lengthUs: 1 };
}

/** An unfinished span extends to the end of the timeline. */
export function placeBar(span: SpanSummary, { startUs, lengthUs }: Timeline): Bar {
  const offsetUs = (parseTimestamp(span.started_at) ?? startUs) - startUs;
  const offset = clamp(offsetUs / lengthUs);
  const width = span.status === 'unfinished' ? 1 : durationUs(span) / lengthUs;
  return { offset, width: Math.min(clamp(width), 1 - offset) };
}

/** Milliseconds from the start of the trace to the start of the span. */
export function offsetMs(span: SpanSummary, timeline: Timeline): number {
  return Math.max(0, ((parseTimestamp(span.started_at) ?? timeline.startUs) - timeline.startUs) / 1000);
}

function durationUs(span: SpanSummary): number {
  return (span.duration_ms ?? 0) * 1000;
}

function clamp(share: number): number {
  return Math.min(Math.max(share, 0), 1);
}
