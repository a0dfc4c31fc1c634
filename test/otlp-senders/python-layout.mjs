import { gzipSync } from 'node:zlib';

/**
 * Writes a request with the layout of the Python exporter (`opentelemetry-exporter-otlp-proto-http`): fields in the order of their
 * numbers, every oneof of a value written even if it is zero, `flags` on each span, a schema URL only where the scope has one, a
 * resource of the Python SDK, and gzip. The attributes are those of `opentelemetry-instrumentation-openai-v2` with
 * `OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental` and `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=span_only`.
 */
export function encodeAsPython() {
  const resource = {
    'telemetry.sdk.language': 'python',
    'telemetry.sdk.name': 'opentelemetry',
    'telemetry.sdk.version': '1.38.0',
    'service.name': 'desk',
  };
  const appSpans = spanField(ROOT);
  const modelSpans = Buffer.concat([spanField(FIRST), spanField(SECOND)]);
  const scopeSpans = (name, version, spans) =>
    bytes(2, Buffer.concat([bytes(1, Buffer.concat([text(1, name), text(2, version)])), spans]));
  const request = bytes(
    1,
    Buffer.concat([
      bytes(1, attributes(1, resource)),
      scopeSpans('app', '', appSpans),
      scopeSpans('opentelemetry.instrumentation.openai_v2', '2.2b0', modelSpans),
    ]),
  );
  return gzipSync(request);
}

const TRACE_ID = '5b8efff798038103d269b633813fc60c';
const START = 1_790_000_000_000_000_000n;
const MS = 1_000_000n;

const said = (role, ...parts) => ({ role, parts });
const SYSTEM = said('system', { content: 'Be brief', type: 'text' });
const QUESTION = said('user', { content: 'Where is parcel 7?', type: 'text' });
const CALL = { arguments: { id: 7 }, name: 'track', id: 'c1', type: 'tool_call' };
const RESULT = said('tool', { response: 'Berlin', id: 'c1', type: 'tool_call_response' });

const ROOT = {
  id: 'eee19b7ec3c1b174',
  name: 'answer',
  kind: 1,
  from: START,
  to: START + 90n * MS,
  attributes: { 'dacapo.key': 'answer' },
};
const FIRST = modelCall('eee19b7ec3c1b175', 10n, [SYSTEM, QUESTION], said('assistant', CALL), [20, 8]);
const SECOND = modelCall(
  'eee19b7ec3c1b176',
  50n,
  [SYSTEM, QUESTION, said('assistant', CALL), RESULT],
  said('assistant', { content: 'In Berlin', type: 'text' }),
  [40, 3],
);

function modelCall(id, startMs, input, output, [inputTokens, outputTokens]) {
  return {
    id,
    parentId: ROOT.id,
    name: 'chat gpt-4o',
    kind: 3,
    from: START + startMs * MS,
    to: START + (startMs + 30n) * MS,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.request.temperature': 0.5,
      'server.address': '127.0.0.1',
      'gen_ai.response.model': 'gpt-4o-2024-08-06',
      'gen_ai.response.id': 'chatcmpl-1',
      'gen_ai.response.finish_reasons': [output.parts[0].type === 'tool_call' ? 'tool_calls' : 'stop'],
      'gen_ai.usage.input_tokens': inputTokens,
      'gen_ai.usage.output_tokens': outputTokens,
      'gen_ai.usage.cache_read.input_tokens': 4,
      'gen_ai.input.messages': JSON.stringify(input),
      'gen_ai.output.messages': JSON.stringify([{ ...output, finish_reason: 'stop' }]),
    },
  };
}

/** The parent is of the same process: bit 8 is set, bit 9 is not. */
const LOCAL_PARENT = 0x100;

function spanField({ id, parentId, name, kind, from, to, attributes: own }) {
  return bytes(
    2,
    Buffer.concat([
      bytes(1, Buffer.from(TRACE_ID, 'hex')),
      bytes(2, Buffer.from(id, 'hex')),
      ...(parentId === undefined ? [] : [bytes(4, Buffer.from(parentId, 'hex'))]),
      text(5, name),
      Buffer.concat([varint(6 * 8), varint(kind)]),
      fixed64(7, from),
      fixed64(8, to),
      attributes(9, own),
      bytes(15, Buffer.alloc(0)),
      fixed32(16, LOCAL_PARENT),
    ]),
  );
}

function attributes(field, own) {
  const written = Object.entries(own).map(([key, value]) =>
    bytes(field, Buffer.concat([text(1, key), bytes(2, anyValue(value))])),
  );
  return Buffer.concat(written);
}

function anyValue(value) {
  if (typeof value === 'string') return bytes(1, Buffer.from(value));
  if (Array.isArray(value)) return bytes(5, Buffer.concat(value.map((item) => bytes(1, anyValue(item)))));
  if (Number.isInteger(value)) return Buffer.concat([varint(3 * 8), varint(value)]);
  const double = Buffer.alloc(8);
  double.writeDoubleLE(value);
  return Buffer.concat([varint(4 * 8 + 1), double]);
}

const text = (field, content) => (content === '' ? Buffer.alloc(0) : bytes(field, Buffer.from(content)));
const bytes = (field, content) => Buffer.concat([varint(field * 8 + 2), varint(content.length), content]);

function fixed64(field, value) {
  const content = Buffer.alloc(8);
  content.writeBigUInt64LE(value);
  return Buffer.concat([varint(field * 8 + 1), content]);
}

function fixed32(field, value) {
  const content = Buffer.alloc(4);
  content.writeUInt32LE(value);
  return Buffer.concat([varint(field * 8 + 5), content]);
}

function varint(value) {
  const encoded = [];
  for (let rest = value; ; rest >>>= 7) {
    encoded.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest);
    if (rest <= 0x7f) return Buffer.from(encoded);
  }
}
