import type { JsonObject, JsonValue } from '@dacapo/protocol';
import type { OtlpScope, OtlpSpan } from '@dacapo/protocol/otlp';
import protobuf from 'protobufjs/minimal.js';
import { FrameError } from '../span-frame.js';
import type { Decoded64, DecodedKeyValue, DecodedValue } from './decoded.js';
import trace from './trace.cjs';

const { Span, Resource, Scope } = trace.otlp;

/** @throws FrameError */
export function decodeSpan(bytes: Buffer): OtlpSpan {
  const span = decode(Span, bytes);
  const parentSpanId = toHex(span.parentSpanId);
  const traceState = toText(span.traceState);
  const message = span.status === null ? '' : toText(span.status.message);
  return {
    traceId: toHex(span.traceId),
    spanId: toHex(span.spanId),
    ...(parentSpanId !== '' && { parentSpanId }),
    ...(traceState !== '' && { traceState }),
    name: toText(span.name),
    kind: span.kind,
    flags: span.flags,
    startNanos: toBigInt(span.startTimeUnixNano),
    endNanos: toBigInt(span.endTimeUnixNano),
    attributes: toAttributes(span.attributes),
    events: span.events.map((event) => ({
      name: toText(event.name),
      timeNanos: toBigInt(event.timeUnixNano),
      attributes: toAttributes(event.attributes),
    })),
    links: span.links.map((link) => ({
      traceId: toHex(link.traceId),
      spanId: toHex(link.spanId),
      attributes: toAttributes(link.attributes),
    })),
    status: { code: span.status?.code ?? 0, ...(message !== '' && { message }) },
  };
}

/** @throws FrameError */
export function decodeResource(bytes: Buffer): JsonObject {
  return toAttributes(decode(Resource, bytes).attributes);
}

/** @throws FrameError */
export function decodeScope(bytes: Buffer): OtlpScope {
  const { name, version, attributes } = decode(Scope, bytes);
  return { name: toText(name), version: toText(version), attributes: toAttributes(attributes) };
}

function decode<T>(type: { decode(reader: object): T }, bytes: Buffer): T {
  const reader = protobuf.Reader.create(bytes);
  reader.discardUnknown = true;
  try {
    return type.decode(reader);
  } catch (error) {
    throw new FrameError(`cannot be decoded: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function toHex(bytes: Uint8Array): string {
  return bytes.length === 0 ? '' : asBuffer(bytes).toString('hex');
}

/** Replaces invalid UTF-8 by U+FFFD. */
function toText(bytes: Uint8Array): string {
  return bytes.length === 0 ? '' : asBuffer(bytes).toString('utf8');
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function toBigInt(value: Decoded64): bigint {
  return typeof value === 'number'
    ? BigInt(value)
    : (BigInt(value.high >>> 0) << 32n) | BigInt(value.low >>> 0);
}

const OWN = { configurable: true, enumerable: true, writable: true };

function toAttributes(list: readonly DecodedKeyValue[]): JsonObject {
  const attributes: JsonObject = {};
  for (const { key, value } of list) {
    const name = toText(key);
    const converted = value === null ? null : toValue(value);
    // An assignment would set the prototype.
    if (name === '__proto__') Object.defineProperty(attributes, name, { ...OWN, value: converted });
    else attributes[name] = converted;
  }
  return attributes;
}

function toValue(value: DecodedValue): JsonValue {
  if (Object.hasOwn(value, 'stringValue')) return toText(value.stringValue);
  if (Object.hasOwn(value, 'intValue')) return toInteger(value.intValue);
  if (Object.hasOwn(value, 'doubleValue'))
    return Number.isFinite(value.doubleValue) ? value.doubleValue : String(value.doubleValue);
  if (Object.hasOwn(value, 'boolValue')) return value.boolValue;
  if (value.arrayValue !== null) return value.arrayValue.values.map(toValue);
  if (value.kvlistValue !== null) return toAttributes(value.kvlistValue.values);
  return Object.hasOwn(value, 'bytesValue') ? asBuffer(value.bytesValue).toString('base64') : null;
}

/** Returns integers beyond 2^53 as text, as OTLP/JSON does. */
function toInteger(value: Decoded64): JsonValue {
  if (typeof value === 'number') return value;
  const number = value.high * 2 ** 32 + (value.low >>> 0);
  return Number.isSafeInteger(number) ? number : String(BigInt.asIntN(64, toBigInt(value)));
}
