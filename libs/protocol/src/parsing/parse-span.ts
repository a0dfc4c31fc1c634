import { isSpanId } from '../ids/span-id.js';
import { isTraceId } from '../ids/trace-id.js';
import type { JsonObject } from '../json/json-value.js';
import {
  type ErrorRecord,
  SPAN_KINDS,
  SPAN_LEVELS,
  SPAN_STATUSES,
  SPAN_TYPES,
  type SpanData,
  type SpanRecord,
  type UsageRecord,
} from '../records/span.js';
import { Fields } from './fields.js';
import { readAttributes, readTraceLabels } from './parse-trace.js';

/** Maximum depth of causes that is kept. */
const CAUSES_KEPT = 16;

/**
 * Reads a span record. Drops unknown fields; `null` counts as absent for optional fields.
 *
 * @throws ProtocolError with the name of the field if a required field is missing or a field is invalid
 */
export function parseSpanRecord(value: unknown): SpanRecord {
  const span = Fields.of('span', value);
  return {
    id: span.matching('id', isSpanId, '16 hex digits'),
    trace_id: span.matching('trace_id', isTraceId, 'a UUID in lower case'),
    ...(span.has('parent_id') && { parent_id: span.matching('parent_id', isSpanId, '16 hex digits') }),
    trace_function_key: span.label('trace_function_key'),
    name: span.label('name'),
    type: span.oneOf('type', SPAN_TYPES),
    ...readKnown(span, 'kind', SPAN_KINDS),
    ...readKnown(span, 'level', SPAN_LEVELS),
    status: span.oneOf('status', SPAN_STATUSES),
    started_at: span.timestamp('started_at'),
    ...(span.has('ended_at') && { ended_at: span.timestamp('ended_at') }),
    ...(span.has('duration_ms') && { duration_ms: span.amount('duration_ms') }),
    span_data: parseSpanData(span.child('span_data')),
    ...(span.has('test_run_id') && { test_run_id: span.label('test_run_id') }),
    ...(span.has('source_span_id') && {
      source_span_id: span.matching('source_span_id', isSpanId, '16 hex digits'),
    }),
    ...readTraceLabels(span),
    ...(span.has('trace_metadata') && { trace_metadata: readAttributes(span, 'trace_metadata') }),
    ...(span.has('trace_contexts') && { trace_contexts: readAttributes(span, 'trace_contexts') }),
  };
}

/** Drops unknown values: a newer tracer may know more kinds and levels. */
function readKnown<Name extends 'kind' | 'level', const T extends string>(
  span: Fields,
  name: Name,
  known: readonly T[],
): { [name in Name]?: T } {
  const value = known.find((one) => one === span.value(name));
  return (value === undefined ? {} : { [name]: value }) as { [name in Name]?: T };
}

function parseSpanData(data: Fields): SpanData {
  const output = data.value('output');
  return {
    ...(data.has('input') && { input: data.array('input') }),
    ...(output !== undefined && { output }),
    ...(data.has('error') && { error: readErrorRecord(data.child('error')) }),
    ...(data.has('prompt') && { prompt: data.string('prompt') }),
    ...(data.has('contexts') && { contexts: data.objects('contexts') }),
    ...(data.has('usage') && { usage: readUsage(data.child('usage'), data.object('usage')) }),
    ...(data.has('meta') && { meta: data.object('meta') }),
  };
}

/** @throws ProtocolError if the name or the message is missing, or a field is invalid */
export function parseErrorRecord(path: string, value: unknown): ErrorRecord {
  return readErrorRecord(Fields.of(path, value));
}

function readErrorRecord(error: Fields, depth = 0): ErrorRecord {
  const code = error.value('code');
  const isLeftOut = depth >= CAUSES_KEPT && (error.has('cause') || error.has('errors'));
  const isCut = isLeftOut || error.value('cut') === true;
  return {
    name: error.string('name'),
    message: error.string('message'),
    ...(error.has('stack') && { stack: error.string('stack') }),
    // JSON.parse returns Infinity for numbers that exceed a double.
    ...((typeof code === 'string' || Number.isFinite(code)) && { code: code as string | number }),
    ...(error.has('cause') &&
      depth < CAUSES_KEPT && { cause: readErrorRecord(error.child('cause'), depth + 1) }),
    ...(error.has('errors') &&
      depth < CAUSES_KEPT && {
        errors: error
          .objects('errors')
          .map((entry, index) => readErrorRecord(Fields.of(`errors[${index}]`, entry), depth + 1)),
      }),
    ...(error.has('class') && { class: error.string('class') }),
    ...(error.has('properties') && { properties: error.object('properties') }),
    ...(error.has('thrown') && { thrown: error.value('thrown') ?? null }),
    ...(depth === 0 && error.has('meta') && { meta: error.object('meta') }),
    ...(isCut && { cut: true as const }),
  };
}

/** @throws ProtocolError if the model, the provider or the tokens are invalid */
export function parseUsageRecord(path: string, value: JsonObject): UsageRecord {
  return readUsage(Fields.of(path, value), value);
}

function readUsage(usage: Fields, record: JsonObject): UsageRecord {
  if (usage.has('model')) usage.string('model');
  if (usage.has('response_model')) usage.string('response_model');
  if (usage.has('provider')) usage.string('provider');
  if (usage.has('input_tokens')) usage.amount('input_tokens');
  if (usage.has('output_tokens')) usage.amount('output_tokens');
  return record;
}
