import type { JsonValue, SpanRecord } from '@dacapo/protocol';
import { STATUS_ERROR, toOtlpSpan } from '@dacapo/protocol/otlp';
import type { OtelAttributes, OtelAttributeValue, OtelSpan } from './otel-types.js';

/** Writes a record on the OpenTelemetry span that accompanies it, with the attributes of an export. */
export function writeRecord(otelSpan: OtelSpan, record: SpanRecord): void {
  const { span } = toOtlpSpan(record);
  otelSpan.setAttributes(toAttributes(span.attributes));
  for (const event of span.events) otelSpan.addEvent(event.name, toAttributes(event.attributes));
  if (span.status.code === STATUS_ERROR) otelSpan.setStatus(span.status);
}

function toAttributes(attributes: Readonly<Record<string, JsonValue | undefined>>): OtelAttributes {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, toAttribute(value)]));
}

/** OpenTelemetry attributes are scalars and lists of scalars. Other values become JSON. */
function toAttribute(value: JsonValue | undefined): OtelAttributeValue | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== 'object') return value;
  const isTexts = Array.isArray(value) && value.every((item) => typeof item === 'string');
  return isTexts ? value : JSON.stringify(value);
}
