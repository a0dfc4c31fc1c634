import protobuf from 'protobufjs';

/** The messages of a request as the protocol publishes them, with texts as strings: senders encode with these. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
  message ScopeSpans { InstrumentationScope scope = 1; repeated Span spans = 2; string schema_url = 3; }
  message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
  message InstrumentationScope {
    string name = 1; string version = 2; repeated KeyValue attributes = 3; uint32 dropped_attributes_count = 4;
  }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; fixed32 flags = 16;
    string name = 5; int32 kind = 6; fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
    repeated KeyValue attributes = 9; uint32 dropped_attributes_count = 10; repeated Event events = 11;
    uint32 dropped_events_count = 12; repeated Link links = 13; uint32 dropped_links_count = 14; Status status = 15;
  }
  message Event {
    fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; uint32 dropped_attributes_count = 4;
  }
  message Link {
    bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; repeated KeyValue attributes = 4;
    uint32 dropped_attributes_count = 5; fixed32 flags = 6;
  }
  message Status { string message = 2; int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue {
    oneof value {
      string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4;
      ArrayValue array_value = 5; KeyValueList kvlist_value = 6; bytes bytes_value = 7;
    }
  }
  message ArrayValue { repeated AnyValue values = 1; }
  message KeyValueList { repeated KeyValue values = 1; }
  message ExportTraceServiceResponse { ExportTracePartialSuccess partial_success = 1; }
  message ExportTracePartialSuccess { int64 rejected_spans = 1; string error_message = 2; }
  message RpcStatus { int32 code = 1; string message = 2; }
`);

/** Encodes a message from its plain form: members in camel case, ids as bytes. */
function encodeMessage(name: string, value: object): Buffer {
  const type = root.lookupType(name);
  return Buffer.from(type.encode(type.fromObject(value)).finish());
}

export function decodeMessage(name: string, bytes: Uint8Array): Record<string, unknown> {
  const type = root.lookupType(name);
  return type.toObject(type.decode(bytes), { longs: Number });
}

/** A span for tests: ids are hex digits, times are numbers of nanoseconds as text. */
export interface TestSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly events?: readonly {
    readonly name: string;
    readonly attributes?: Readonly<Record<string, unknown>>;
  }[];
  readonly status?: { readonly code: number; readonly message?: string };
}

const START = '1700000000000000000';
const END = '1700000001500000000';

function toAnyValue(value: unknown): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isInteger(value) ? { intValue: value } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(toAnyValue) } };
  return { kvlistValue: { values: toKeyValues(value as Record<string, unknown>) } };
}

function toKeyValues(attributes: Readonly<Record<string, unknown>> = {}): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: toAnyValue(value) }));
}

/** A span in the plain form of OTLP/JSON. */
function toJsonSpan({ attributes, events = [], ...span }: TestSpan): Record<string, unknown> {
  return {
    name: 'work',
    kind: 1,
    startTimeUnixNano: START,
    endTimeUnixNano: END,
    ...span,
    attributes: toKeyValues(attributes),
    events: events.map((event) => ({
      ...event,
      timeUnixNano: END,
      attributes: toKeyValues(event.attributes),
    })),
  };
}

export function encodeSpan(span: TestSpan): Buffer {
  const { traceId, spanId, parentSpanId = '', ...rest } = toJsonSpan(span) as TestSpan & object;
  const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');
  return encodeMessage('Span', {
    ...rest,
    traceId: bytes(traceId),
    spanId: bytes(spanId),
    parentSpanId: bytes(parentSpanId),
  });
}

/** A field of bytes, as protobuf frames it. */
export function field(number: number, content: Uint8Array): Buffer {
  return Buffer.concat([
    protobuf.Writer.create()
      .uint32(number * 8 + 2)
      .uint32(content.length)
      .finish(),
    content,
  ]);
}

interface Source {
  readonly resource?: Readonly<Record<string, unknown>>;
  readonly scope?: string;
}

/** A request of spans that are encoded already. */
export function frameRequest(
  spans: readonly Uint8Array[],
  { resource = {}, scope = 'tests' }: Source = {},
): Buffer {
  const scopeSpans = Buffer.concat([
    field(1, encodeMessage('InstrumentationScope', { name: scope })),
    ...spans.map((span) => field(2, span)),
  ]);
  const resourceSpans = Buffer.concat([
    field(1, encodeMessage('Resource', { attributes: toKeyValues(resource) })),
    field(2, scopeSpans),
  ]);
  return field(1, resourceSpans);
}

export function protobufRequest(spans: readonly TestSpan[], source?: Source): Buffer {
  return frameRequest(spans.map(encodeSpan), source);
}

export function jsonRequest(spans: readonly TestSpan[], { resource, scope = 'tests' }: Source = {}): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: toKeyValues(resource) },
        scopeSpans: [{ scope: { name: scope }, spans: spans.map(toJsonSpan) }],
      },
    ],
  });
}
