import { writeJsonRequest } from '@dacapo/protocol/otlp';
import { encodeRequest } from '../../bench/otlp/encode-request.mjs';

const span = (spanId, attributes) => ({
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId,
  parentSpanId: '00f067aa0ba902b7',
  name: 'chat gpt-5',
  kind: 3,
  startNanos: 1_700_000_000_000_000_000n,
  endNanos: 1_700_000_001_000_000_000n,
  attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-5', ...attributes },
  events: [{ name: 'gen_ai.user.message', timeNanos: 1n, attributes: { content: 'hi' } }],
  links: [],
  status: { code: 1 },
});

const SPANS = [
  span('b7ad6b7169203331', {
    'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"password: hunter2"}]}]',
    'gen_ai.usage.input_tokens': 12,
    'app.list': ['a', 1, 2.5, { b: [true] }],
  }),
  span('b7ad6b7169203332', {
    'llm.input_messages.0.message.role': 'user',
    'llm.input_messages.0.message.contents.0.message_content.text': 'Grüße 🎻',
    'ai.prompt': '{"messages":[{"role":"user","content":"x"}]}',
    'gen_ai.prompt.0.__proto__.polluted': 'yes',
  }),
];

const sources = SPANS.map((one) => ({ span: one, source: { resource: {}, scope: { name: 'fuzz' } } }));
const requests = sources.map((one) => encodeRequest([one]));

/** The spans in protobuf: what is in the last field of a request's innermost message. */
export const otlpSpans = requests.map((request) => {
  let at = 0;
  const readLength = () => {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = request[at++];
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) return length;
    }
  };
  // Request, then past the resource, then scope spans, then past the scope.
  at++;
  readLength();
  for (const isInside of [false, true, false]) {
    at++;
    const length = readLength();
    if (!isInside) at += length;
  }
  at++;
  readLength();
  return request.subarray(at);
});

export const otlpJson = sources.map((one) =>
  JSON.stringify(writeJsonRequest([one]).resourceSpans[0].scopeSpans[0].spans[0]),
);

function field(number, content) {
  const length = [];
  for (let rest = content.length; ; rest >>>= 7) {
    length.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest);
    if (rest <= 0x7f) break;
  }
  return Buffer.concat([Buffer.from([number * 8 + 2, ...length]), content]);
}

/** A request with these encoded spans. */
export function frameProtobuf(spans) {
  return field(1, field(2, Buffer.concat(spans.map((one) => field(2, one)))));
}
