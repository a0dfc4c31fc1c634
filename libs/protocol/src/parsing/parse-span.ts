import { isSpanId, isTraceId } from '../ids/ids.js';
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
  // Assignments, because conditional spreads cost more, and this runs for each span.
  const record: SpanRecord = {
    id: span.matching('id', isSpanId, '16 hex digits'),
    trace_id: span.matching('trace_id', isTraceId, 'a UUID in lower case'),
    trace_function_key: span.label('trace_function_key'),
    name: span.label('name'),
    type: span.oneOf('type', SPAN_TYPES),
    status: span.oneOf('status', SPAN_STATUSES),
    started_at: span.timestamp('started_at'),
    span_data: parseSpanData(span.child('span_data')),
  };
  if (span.has('parent_id')) record.parent_id = span.matching('parent_id', isSpanId, '16 hex digits');
  const kind = readKnown(span.value('kind'), SPAN_KINDS);
  if (kind !== undefined) record.kind = kind;
  const level = readKnown(span.value('level'), SPAN_LEVELS);
  if (level !== undefined) record.level = level;
  if (span.has('ended_at')) record.ended_at = span.timestamp('ended_at');
  if (span.has('duration_ms')) record.duration_ms = span.amount('duration_ms');
  if (span.has('test_run_id')) record.test_run_id = span.label('test_run_id');
  if (span.has('source_span_id')) {
    record.source_span_id = span.matching('source_span_id', isSpanId, '16 hex digits');
  }
  readTraceLabels(span, record);
  if (span.has('trace_metadata')) record.trace_metadata = readAttributes(span, 'trace_metadata');
  if (span.has('trace_contexts')) record.trace_contexts = readAttributes(span, 'trace_contexts');
  return record;
}

/** Drops unknown values: a newer tracer may know more kinds and levels. */
function readKnown<const T extends string>(value: unknown, known: readonly T[]): T | undefined {
  return value === undefined ? undefined : known.find((one) => one === value);
}

function parseSpanData(data: Fields): SpanData {
  const parsed: SpanData = {};
  const output = data.value('output');
  if (data.has('input')) parsed.input = data.array('input');
  if (output !== undefined) parsed.output = output;
  if (data.has('error')) parsed.error = readErrorRecord(data.child('error'));
  if (data.has('prompt')) parsed.prompt = data.string('prompt');
  if (data.has('contexts')) parsed.contexts = data.objects('contexts');
  if (data.has('usage')) parsed.usage = readUsage(data.child('usage'), data.object('usage'));
  if (data.has('meta')) parsed.meta = data.object('meta');
  return parsed;
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
export function parseUsageRecord(path: string, value: UsageRecord): UsageRecord {
  return readUsage(Fields.of(path, value), value);
}

function readUsage(usage: Fields, record: UsageRecord): UsageRecord {
  if (usage.has('model')) usage.string('model');
  if (usage.has('response_model')) usage.string('response_model');
  if (usage.has('provider')) usage.string('provider');
  if (usage.has('input_tokens')) usage.amount('input_tokens');
  if (usage.has('output_tokens')) usage.amount('output_tokens');
  return record;
}
