import { type JsonObject, type JsonValue, type SpanRecord, withPrompt } from '@dacapo/protocol';
import { type OtlpSpan, toSpanRecord } from '@dacapo/protocol/otlp';
import type { ActiveTrace } from '../recording/active-trace.js';
import { errorFromText, type ExternalOutcome } from '../recording/external-attributes.js';
import { type OtelReadableSpan, type OtelTime, scopeOf } from './otel-types.js';

/**
 * Converts an open or ended OpenTelemetry span by the conventions that the service reads too.
 *
 * @param isKept whether to convert a span without AI content; called for such spans only
 * @returns `undefined` for a span without AI content that is not kept
 * @throws ProtocolError when its ids are invalid
 */
export function readOtelSpan(span: OtelReadableSpan, isKept: () => boolean): SpanRecord | undefined {
  const { name = '', version = '' } = scopeOf(span) ?? {};
  // The tracer describes its process once, so spans do not repeat the resource.
  return toSpanRecord(toOtlp(span), { resource: {}, scope: { name, version } }, isKept).span;
}

/** Converts the end of a span. */
export function toOutcome({ status, span_data: data }: SpanRecord): ExternalOutcome {
  const { input, output, prompt, usage, error, meta } = withPrompt(data);
  const links = meta?.links ?? [];
  const contexts = [...(data.contexts ?? []), ...(links.length === 0 ? [] : [{ links }])];
  const outcome = { input, output, prompt, contexts, usage };
  if (status === 'cancelled') return { ...outcome, cancelled: true };
  if (error === undefined) return outcome;
  const thrown = errorFromText(error.name, error.message);
  return { ...outcome, error: Object.defineProperty(thrown, 'stack', { value: error.stack }) };
}

/** Sets session, user, tags and other facts of the trace that the span reports. */
export function noteTrace(trace: ActiveTrace, record: SpanRecord): void {
  const { session_id, user_id, tags, trace_metadata, trace_contexts } = record;
  if (session_id !== undefined) trace.setSessionId(session_id);
  if (user_id !== undefined) trace.setUserId(user_id);
  if (tags !== undefined) trace.setTags(tags);
  if (trace_metadata !== undefined) trace.setMetadata(trace_metadata);
  if (trace_contexts !== undefined) trace.addContext(trace_contexts);
}

function toOtlp(span: OtelReadableSpan): OtlpSpan {
  const { traceId, spanId } = span.spanContext();
  return {
    traceId,
    spanId,
    name: span.name,
    startNanos: toNanos(span.startTime),
    endNanos: toNanos(span.endTime),
    attributes: toJson(span.attributes),
    events: span.events.map(({ name, time, attributes = {} }) => ({
      name,
      timeNanos: toNanos(time),
      attributes: toJson(attributes),
    })),
    links: span.links.map(({ context, attributes = {} }) => ({
      traceId: context.traceId,
      spanId: context.spanId,
      attributes: toJson(attributes),
    })),
    // The API and the protocol have the same codes: 0 unset, 1 ok, 2 error.
    status: { ...span.status },
  };
}

/** Accepts any attribute value: instrumentations in plain JavaScript pass more than scalars and lists. */
function toJson(attributes: object): JsonObject {
  const entries = Object.entries(attributes as Record<string, unknown>);
  return Object.fromEntries(
    entries.flatMap(([name, value]): [string, JsonValue][] => {
      const read = toJsonValue(value);
      return read === undefined ? [] : [[name, read]];
    }),
  );
}

function toJsonValue(value: unknown): JsonValue | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'object':
      return JSON.parse(JSON.stringify(value)) as JsonValue;
    default:
      return undefined;
  }
}

function toNanos([seconds, nanos]: OtelTime): bigint {
  return BigInt(seconds) * 1_000_000_000n + BigInt(Math.trunc(nanos));
}
