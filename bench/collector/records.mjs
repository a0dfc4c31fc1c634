import { formatTimestamp, newSpanId, newTraceId } from '@dacapo/protocol';

const SPANS_IN_A_TRACE = 10;
const KEYS = 50;
const BEGIN_US = Date.UTC(2026, 0, 31, 12) * 1000;

/** All spans differ, because the collector stores repeated values once. */
const text = (number, sentences) =>
  Array.from(
    { length: sentences },
    (_, n) =>
      `Customer ${number}-${n} asks when the parcel will arrive, and whether it can be left with a neighbour. `,
  ).join('');

/** Finished spans of about 4 KB like a tracer's: ten per trace (a root and its children), fifty keys, one start per millisecond. */
export function makeSpans(count) {
  const spans = [];
  while (spans.length < count) {
    const trace_id = newTraceId();
    const root = newSpanId();
    for (let index = 0; index < SPANS_IN_A_TRACE && spans.length < count; index++) {
      spans.push(
        makeSpan(trace_id, index === 0 ? root : newSpanId(), index === 0 ? undefined : root, spans.length),
      );
    }
  }
  return spans;
}

function makeSpan(trace_id, id, parent_id, number) {
  return {
    id,
    trace_id,
    ...(parent_id !== undefined && { parent_id }),
    trace_function_key: `Support.method${number % KEYS}`,
    name: 'answer',
    type: 'llm',
    status: 'ok',
    started_at: formatTimestamp(BEGIN_US + number * 1000),
    ended_at: formatTimestamp(BEGIN_US + number * 1000 + 1_500_000),
    duration_ms: 1500,
    span_data: {
      input: [{ ticket: number, messages: [{ role: 'user', content: text(number, 16) }] }],
      output: { text: text(number, 12), tags: ['delivery', 'neighbour'] },
      prompt: text(number, 10),
      usage: { model: 'gpt', input_tokens: 812, output_tokens: 300 },
    },
  };
}

export function toBatches(spans, size) {
  const batches = [];
  for (let start = 0; start < spans.length; start += size) {
    batches.push(
      spans
        .slice(start, start + size)
        .map((span) => JSON.stringify({ span }))
        .join('\n'),
    );
  }
  return batches;
}
