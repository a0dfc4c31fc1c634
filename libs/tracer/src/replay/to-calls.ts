import { type Call, recordedError, readUsage } from '@dacapo/evaluation';
import { decode, decodeThrown, readValue, type RecordedDescendant, type SpanRecord } from '@dacapo/protocol';
import { type ByteString, decodeText } from '../byte-string.js';
import type { Codec } from '../options/capture-options.js';
import { unknownFact } from './evaluate-item.js';

/** The calls below a call for evaluators, in the order in which they started. */
export function toCalls(
  rootSpanId: string,
  recorded: readonly RecordedDescendant[],
  codecs: readonly Codec[],
): Call[] {
  const byId = new Map(recorded.map((call) => [call.span_id, call]));
  const buildPath = (call: RecordedDescendant): string[] => {
    const path = [call.trace_function_key];
    const seen = new Set([call.span_id, rootSpanId]);
    for (
      let above = byId.get(call.parent_id);
      above !== undefined && !seen.has(above.span_id);
      above = byId.get(above.parent_id)
    ) {
      seen.add(above.span_id);
      path.unshift(above.trace_function_key);
    }
    return path;
  };
  return recorded
    .filter(({ span_id }) => span_id !== rootSpanId)
    .sort((a, b) => a.started_at.localeCompare(b.started_at))
    .map((call) => ({ call, error: recordedError(call) }))
    .map(({ call, error }) => ({
      key: call.trace_function_key,
      name: call.name,
      type: call.type,
      path: buildPath(call),
      args: decode(readValue({ json: call.input ?? [], meta: call.meta?.input }), codecs) as unknown[],
      ...(call.output !== undefined && {
        output: decode(readValue({ json: call.output, meta: call.meta?.output }), codecs),
      }),
      ...(error && { error: decodeThrown(error) }),
      ...(call.duration_ms !== undefined && { durationMs: call.duration_ms }),
      ...(call.usage && { usage: readUsage(call.usage) }),
      ...(call.meta?.mocked && { mocked: true }),
    }));
}

/** The calls inside a replayed call, from its recorded lines; `undefined` if it was not recorded. */
export function callsIn(
  rootSpanId = '',
  lines: readonly ByteString[] | undefined,
  codecs: readonly Codec[],
): () => Call[] {
  return lines === undefined ? unknownFact : once(() => toCalls(rootSpanId, readLines(lines), codecs));
}

/** Most evaluators never read inner calls. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** The calls in the lines of an ingest body; merges a call that was sent in two parts. */
function readLines(lines: readonly ByteString[]): RecordedDescendant[] {
  const calls = new Map<string, RecordedDescendant>();
  for (const line of lines) {
    const { span } = JSON.parse(decodeText(line)) as { span: SpanRecord };
    const { span_data: data, parent_id = '', id, ...facts } = span;
    const earlier = calls.get(id);
    const meta = { ...earlier?.meta, ...data.meta };
    calls.set(id, { ...earlier, ...facts, ...data, meta, span_id: id, parent_id });
  }
  return [...calls.values()];
}
