import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import type { OtlpEvent, OtlpLink, OtlpScope, OtlpSource, OtlpSpan } from './otlp-span.js';
import type { WrittenOtlpSpan } from './to-otlp-span.js';

/** Deeper values become `null`. Senders nest a few levels at most. */
const DEEPEST = 100;

/** Reads a span of OTLP/JSON. Ignores unknown fields, and gives missing or invalid ones the protocol's defaults. */
export function readJsonSpan(span: JsonObject): OtlpSpan {
  const parentSpanId = readId(span['parentSpanId']);
  const traceState = readText(span['traceState']);
  const status = isJsonObject(span['status']) ? span['status'] : {};
  const message = readText(status['message']);
  return {
    traceId: readId(span['traceId']),
    spanId: readId(span['spanId']),
    ...(parentSpanId !== '' && { parentSpanId }),
    ...(traceState !== '' && { traceState }),
    name: readText(span['name']),
    kind: readEnum(span['kind'], 'SPAN_KIND_', KINDS),
    flags: readNumber(span['flags']),
    startNanos: readNanos(span['startTimeUnixNano']),
    endNanos: readNanos(span['endTimeUnixNano']),
    attributes: readKeyValues(span['attributes']),
    events: listObjects(span['events']).map((event): OtlpEvent => ({
      name: readText(event['name']),
      timeNanos: readNanos(event['timeUnixNano']),
      attributes: readKeyValues(event['attributes']),
    })),
    links: listObjects(span['links']).map((link): OtlpLink => ({
      traceId: readId(link['traceId']),
      spanId: readId(link['spanId']),
      attributes: readKeyValues(link['attributes']),
    })),
    status: {
      code: readEnum(status['code'], 'STATUS_CODE_', STATUSES),
      ...(message !== '' && { message }),
    },
  };
}

export function readJsonResource(resource: JsonObject): JsonObject {
  return readKeyValues(resource['attributes']);
}

export function readJsonScope(scope: JsonObject): OtlpScope {
  return {
    name: readText(scope['name']),
    version: readText(scope['version']),
    attributes: readKeyValues(scope['attributes']),
  };
}

const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'];
const STATUSES = ['UNSET', 'OK', 'ERROR'];

/** Enums are numbers, but some senders write names. */
function readEnum(value: JsonValue | undefined, prefix: string, names: readonly string[]): number {
  if (typeof value !== 'string' || !value.startsWith(prefix)) return readNumber(value);
  return Math.max(0, names.indexOf(value.slice(prefix.length)));
}

function listObjects(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function readText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Hex digits in either case. */
function readId(value: JsonValue | undefined): string {
  return readText(value).toLowerCase();
}

function readNumber(value: JsonValue | undefined): number {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) ? number : 0;
}

/** Reads a text or a number. Anything else becomes 0, which means unknown. */
function readNanos(value: JsonValue | undefined): bigint {
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return BigInt(value);
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? BigInt(value) : 0n;
}

function readKeyValues(list: JsonValue | undefined, depth = 0): JsonObject {
  return Object.fromEntries(
    listObjects(list).map((entry) => [readText(entry['key']), readAnyValue(entry['value'], depth + 1)]),
  );
}

function readAnyValue(value: JsonValue | undefined, depth: number): JsonValue {
  if (!isJsonObject(value) || depth > DEEPEST) return null;
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = value;
  if (typeof stringValue === 'string') return stringValue;
  if (typeof boolValue === 'boolean') return boolValue;
  if (intValue !== undefined) return readInteger(intValue);
  if (doubleValue !== undefined) return readDouble(doubleValue);
  if (isJsonObject(arrayValue))
    return listObjects(arrayValue['values']).map((item) => readAnyValue(item, depth + 1));
  if (isJsonObject(kvlistValue)) return readKeyValues(kvlistValue['values'], depth);
  return typeof bytesValue === 'string' ? bytesValue : null;
}

/** Keeps integers beyond 2^53 as text. */
function readInteger(value: JsonValue): JsonValue {
  if (typeof value === 'number') return value;
  const isNumber = typeof value === 'string' && /^-?\d{1,20}$/.test(value);
  return isNumber && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** Keeps `NaN` and infinities as text, as the protocol writes them. */
function readDouble(value: JsonValue): JsonValue {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : value;
}

/** Writes a request with these spans as OTLP/JSON. */
export function writeJsonRequest(spans: readonly WrittenOtlpSpan[]): JsonObject {
  const groups = new Map<string, { source: OtlpSource; spans: OtlpSpan[] }>();
  for (const { span, source } of spans) {
    const name = JSON.stringify(source);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, { source, spans: [span] });
    else group.spans.push(span);
  }
  return {
    resourceSpans: [...groups.values()].map(({ source: { resource, scope }, spans: grouped }) => ({
      resource: { attributes: writeKeyValues(resource) },
      scopeSpans: [
        {
          scope: {
            name: scope.name ?? '',
            ...(scope.version !== undefined && { version: scope.version }),
            ...(scope.attributes && { attributes: writeKeyValues(scope.attributes) }),
          },
          spans: grouped.map(writeJsonSpan),
        },
      ],
    })),
  };
}

function writeJsonSpan(span: OtlpSpan): JsonObject {
  const { traceId, spanId, parentSpanId, traceState, name, kind, flags, events, links, status } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    ...(traceState !== undefined && { traceState }),
    ...(flags !== undefined && { flags }),
    name,
    kind: kind ?? 0,
    startTimeUnixNano: String(span.startNanos),
    endTimeUnixNano: String(span.endNanos),
    attributes: writeKeyValues(span.attributes),
    events: events.map(({ name: eventName, timeNanos, attributes }) => ({
      name: eventName,
      timeUnixNano: String(timeNanos),
      attributes: writeKeyValues(attributes),
    })),
    links: links.map((link) => ({
      traceId: link.traceId,
      spanId: link.spanId,
      attributes: writeKeyValues(link.attributes),
    })),
    status: { ...status },
  };
}

function writeKeyValues(attributes: JsonObject): JsonObject[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: writeAnyValue(value) }));
}

function writeAnyValue(value: JsonValue): JsonObject {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(writeAnyValue) } };
  return value === null ? {} : { kvlistValue: { values: writeKeyValues(value) } };
}
