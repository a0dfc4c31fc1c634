import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import protobuf from 'protobufjs';

/** Field numbers and types of opentelemetry-proto 1.x for traces. */
const PROTO = `
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
  message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
  message ScopeSpans { Scope scope = 1; repeated Span spans = 2; string schema_url = 3; }
  message Scope { string name = 1; string version = 2; repeated KeyValue attributes = 3; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9;
    repeated Event events = 11; repeated Link links = 13; Status status = 15; fixed32 flags = 16;
  }
  message Event { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; }
  message Link { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; repeated KeyValue attributes = 4; }
  message Status { string message = 2; int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value {
    string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; ArrayValue array_value = 5;
    KeyValueList kvlist_value = 6; bytes bytes_value = 7; } }
  message ArrayValue { repeated AnyValue values = 1; }
  message KeyValueList { repeated KeyValue values = 1; }
`;

const REQUEST = protobuf.parse(PROTO).root.lookupType('Request');

/** A span as decoded by a third-party receiver. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code: number; message: string };
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
  events: { name: string; attributes: Record<string, unknown> }[];
  links: { traceId: string; spanId: string }[];
}

export interface ReceivedRequest {
  headers: IncomingHttpHeaders;
  path: string;
  spans: ReceivedSpan[];
}

export interface ReceiverAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: object;
}

/** A receiver of OTLP/JSON that decodes with another library: it converts bodies to protobuf and back, which checks the type of each field. */
export class OtlpReceiver {
  readonly requests: ReceivedRequest[] = [];
  /** Spans of requests that were answered by 200. */
  readonly spans: ReceivedSpan[] = [];
  /** Problems of received bodies. */
  readonly problems: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** @param answer absent, or without a status: 200 */
  static async start(
    answer: (request: ReceivedRequest) => ReceiverAnswer = () => ({}),
  ): Promise<OtlpReceiver> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const receiver = new OtlpReceiver(server, `http://127.0.0.1:${port}`);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const received = receiver.read(request.url ?? '', request.headers, Buffer.concat(chunks));
        const { status = 200, headers = {}, body = {} } = answer(received);
        if (status === 200) receiver.spans.push(...received.spans);
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(JSON.stringify(body));
      });
    });
    return receiver;
  }

  /** The spans by name, each once, sorted. */
  get names(): string[] {
    return [...new Set(this.spans.map(({ name }) => name))].sort();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private read(path: string, headers: IncomingHttpHeaders, body: Buffer): ReceivedRequest {
    const request: ReceivedRequest = { headers, path, spans: [] };
    try {
      request.spans = decodeRequest(JSON.parse(body.toString('utf8')) as object);
    } catch (error) {
      this.problems.push(String(error));
    }
    this.requests.push(request);
    return request;
  }
}

/** @throws TypeError when a field has a form that OTLP/JSON does not have */
function decodeRequest(json: object): ReceivedSpan[] {
  const message = REQUEST.fromObject(checkForms(json) as Record<string, unknown>);
  const decoded = REQUEST.toObject(REQUEST.decode(REQUEST.encode(message).finish()), {
    longs: String,
    defaults: true,
    arrays: true,
  });
  return (decoded['resourceSpans'] as Decoded[]).flatMap(({ resource, scopeSpans }) =>
    (scopeSpans as Decoded[]).flatMap(({ spans }) =>
      (spans as Decoded[]).map((span) => toReceived(span, (resource as Decoded)['attributes'])),
    ),
  );
}

type Decoded = Record<string, unknown>;

const IDS = new Set(['traceId', 'spanId', 'parentSpanId']);
const LONGS = new Set(['startTimeUnixNano', 'endTimeUnixNano', 'timeUnixNano', 'intValue']);

/** Ids are hex digits, 64-bit integers are texts, and names are in camel case. */
function checkForms(value: unknown, name = ''): unknown {
  if (IDS.has(name)) {
    if (typeof value !== 'string' || !/^(?:[0-9a-f]{2})*$/.test(value))
      throw new TypeError(`${name} is not hex`);
    return Buffer.from(value, 'hex');
  }
  if (LONGS.has(name) && (typeof value !== 'string' || !/^-?\d+$/.test(value)))
    throw new TypeError(`${name} is no text`);
  if (Array.isArray(value)) return value.map((item) => checkForms(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (key.includes('_')) throw new TypeError(`${key} is not in camel case`);
      return [key, checkForms(member, key)];
    }),
  );
}

function toReceived(span: Decoded, resource: unknown): ReceivedSpan {
  const hex = (name: string): string => Buffer.from(span[name] as Uint8Array).toString('hex');
  return {
    ...(span as unknown as ReceivedSpan),
    traceId: hex('traceId'),
    spanId: hex('spanId'),
    parentSpanId: hex('parentSpanId'),
    attributes: toMembers(span['attributes']),
    resource: toMembers(resource),
    events: (span['events'] as Decoded[]).map(({ name, attributes }) => ({
      name: String(name),
      attributes: toMembers(attributes),
    })),
    links: (span['links'] as Decoded[]).map(({ traceId, spanId }) => ({
      traceId: Buffer.from(traceId as Uint8Array).toString('hex'),
      spanId: Buffer.from(spanId as Uint8Array).toString('hex'),
    })),
  };
}

function toMembers(list: unknown): Record<string, unknown> {
  return Object.fromEntries(
    (list as Decoded[]).map(({ key, value }) => [String(key), toValue(value as Decoded)]),
  );
}

function toValue(any: Decoded | null): unknown {
  const [name, value] = Object.entries(any ?? {}).find(([key]) => key !== 'value') ?? [];
  if (name === 'intValue') return Number(value);
  if (name === 'arrayValue') return ((value as Decoded)['values'] as Decoded[]).map(toValue);
  return name === 'kvlistValue' ? toMembers((value as Decoded)['values']) : value;
}
