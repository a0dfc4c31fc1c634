import { parseTimestamp, type SpanSummary } from '@dacapo/protocol';

export interface Timeline {
  startUs: number;
  /** Never 0, so that shares of it are numbers. */
  lengthUs: number;
}

/** Where a span's bar stands, as shares of the whole: 0 to 1. */
export interface Bar {
  offset: number;
  width: number;
}

/** From the first start to the last end of a trace's spans. */
export function timelineOf(spans: readonly SpanSummary[]): Timeline {
  let startUs = Infinity;
  let endUs = -Infinity;
  for (const span of spans) {
    const spanStartUs = parseTimestamp(span.started_at);
    if (spanStartUs === undefined) continue;
    startUs = Math.min(startUs, spanStartUs);
    endUs = Math.max(endUs, spanStartUs + lengthUsOf(span));
  }
  return startUs <= endUs ? { startUs, lengthUs: Math.max(endUs - startUs, 1) } : { startUs: 0, lengthUs: 1 };
}

/** An unfinished span lasts to the end of its trace, as far as anyone knows. */
export function barOf(span: SpanSummary, { startUs, lengthUs }: Timeline): Bar {
  const offsetUs = (parseTimestamp(span.started_at) ?? startUs) - startUs;
  const offset = clamp(offsetUs / lengthUs);
  const width = span.status === 'unfinished' ? 1 : lengthUsOf(span) / lengthUs;
  return { offset, width: Math.min(clamp(width), 1 - offset) };
}

/** Milliseconds between the start of the trace and of the span. */
export function offsetMs(span: SpanSummary, timeline: Timeline): number {
  return Math.max(0, ((parseTimestamp(span.started_at) ?? timeline.startUs) - timeline.startUs) / 1000);
}

function lengthUsOf(span: SpanSummary): number {
  return (span.duration_ms ?? 0) * 1000;
}

function clamp(share: number): number {
  return Math.min(Math.max(share, 0), 1);
}
