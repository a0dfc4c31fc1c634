import { parseTimestamp, type SpanSummary } from '@dacapo/protocol';

const starts = new WeakMap<SpanSummary, number | undefined>();

/** When a span started, in microseconds; `undefined` for an invalid time. Parses each span once, because every drawing needs all of them. */
export function startUsOf(span: SpanSummary): number | undefined {
  if (starts.has(span)) return starts.get(span);
  const startUs = parseTimestamp(span.started_at);
  starts.set(span, startUs);
  return startUs;
}
