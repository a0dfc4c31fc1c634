import { createHash } from 'node:crypto';
import {
  encodeSpan,
  field,
  frameRequest,
  jsonRequest,
  protobufRequest,
  type TestSpan,
} from './otlp-request.js';

const PROTOBUF = 'application/x-protobuf';
const JSON_TYPE = 'application/json';

/** With a heap of 128 MB, larger bodies are refused before they are split. */
const BODY_BYTES = 6 * 1024 * 1024;
const LARGE_BODY_BYTES = 19 * 1024 * 1024;

/** A body with a good span, which comes before the hostile content. */
export interface HostileBody {
  readonly name: string;
  readonly type: string;
  readonly good: TestSpan;
  readonly make: () => Buffer;
}

/** Fields without content. */
const empties = (tag: number, bytes = BODY_BYTES): Buffer =>
  Buffer.alloc(bytes, Buffer.from([tag * 8 + 2, 0]));
const attribute = (value: Buffer): Buffer =>
  field(9, Buffer.concat([field(1, Buffer.from('a')), field(2, value)]));
const nested = (levels: number): Buffer => {
  // Outermost first: lengths are those of what is inside.
  let inner: Buffer = Buffer.alloc(0);
  for (let level = 0; level < levels; level++) inner = field(level % 2 === 0 ? 1 : 5, inner);
  return inner;
};

const BYTES: [string, () => Buffer][] = [
  ['empty resources', () => empties(1)],
  ['empty scopes', () => field(1, empties(2))],
  ['empty spans', () => field(1, field(2, empties(2)))],
  ['empty events', () => frameRequest([empties(11)])],
  ['19 MiB of empty events', () => frameRequest([empties(11, LARGE_BODY_BYTES)])],
  ['empty links', () => frameRequest([empties(13)])],
  ['empty attributes', () => frameRequest([empties(9)])],
  ['empty values of an array', () => frameRequest([attribute(field(5, empties(1)))])],
  [
    'empty attributes of a resource',
    () => field(1, Buffer.concat([field(1, empties(1)), field(2, field(2, Buffer.alloc(9)))])),
  ],
  ['arrays 10,000 levels deep', () => frameRequest([attribute(nested(10_000))])],
  ['groups in groups', () => frameRequest([Buffer.alloc(BODY_BYTES, 0x0b)])],
  ['a length beyond the body', () => Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x7f])],
  ['a number without an end', () => Buffer.alloc(BODY_BYTES, 0x80)],
  ['unknown fields', () => Buffer.alloc(BODY_BYTES, Buffer.from([0x78, 0]))],
];

const JSON_SPANS: [string, () => string][] = [
  ['empty spans', () => Array<string>(2_000_000).fill('{}').join(',')],
  ['one span of brackets', () => '['.repeat(3_000_000) + ']'.repeat(3_000_000)],
  ['brackets without an end', () => '['.repeat(6_000_000)],
  ['empty attributes', () => `{"attributes":[${'{},'.repeat(2_000_000)}{}]}`],
];

const SECRET = 'password: hunter2hunter2 ';
const CHAT = { 'gen_ai.operation.name': 'chat' };

/** Spans within the limits that take long, in both encodings. */
const SPANS: [string, () => Pick<TestSpan, 'name' | 'attributes'>][] = [
  ['a text of brackets', () => ({ attributes: { ...CHAT, a: `[${'[],'.repeat(2_000_000)}[]]` } })],
  [
    'a text of 3.9 MiB with secrets',
    () => ({ attributes: { 'gen_ai.prompt.0.content': SECRET.repeat(160_000) } }),
  ],
  [
    'a text of 3.9 MiB without secrets',
    () => ({ attributes: { 'gen_ai.prompt.0.content': 'Where is my päckchen? '.repeat(170_000) } }),
  ],
  [
    'secrets below a name of 3 MiB',
    () => ({
      attributes: { ...CHAT, outer: { ['n'.repeat(3 * 1024 * 1024)]: Array<string>(3000).fill(SECRET) } },
    }),
  ],
  ['a span name of 3 MiB', () => ({ name: 'n'.repeat(3 * 1024 * 1024), attributes: CHAT })],
  [
    '40,000 secret objects in a text',
    () => ({ attributes: { ...CHAT, a: JSON.stringify(Array(40_000).fill({ password: 'hunter2' })) } }),
  ],
  [
    '40,000 messages in a text',
    () => ({
      attributes: {
        ...CHAT,
        'gen_ai.input.messages': JSON.stringify(Array(40_000).fill({ role: 'user', content: 'Hello' })),
      },
    }),
  ],
  [
    '8,000 attributes',
    () => ({ attributes: { ...CHAT, ...Object.fromEntries(numbers(8000).map((n) => [`a.${n}`, `v${n}`])) } }),
  ],
];

/** Each of these spans has a copy of its resource. */
const MANY_SPANS = {
  spans: () =>
    numbers(9000).map((n) => ({ traceId: 'a'.repeat(32), spanId: (n + 1).toString(16).padStart(16, '0') })),
  source: {
    resource: Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`r.${n}`, { a: n, b: `x${n}` }])),
  },
};

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}

const jsonBody = (spans: string): string => `{"resourceSpans":[{"scopeSpans":[{"spans":[${spans}]}]}]}`;

/** The items of a request in JSON. */
const listItems = (request: string): string => request.slice('{"resourceSpans":['.length, -']}'.length);

function inProtobuf(name: string, make: () => Buffer): HostileBody {
  const good = makeGood(`${name} in protobuf`);
  return { name, type: PROTOBUF, good, make: () => Buffer.concat([protobufRequest([good]), make()]) };
}

function inJson(name: string, make: () => string): HostileBody {
  const good = makeGood(`${name} in JSON`);
  const whole = (): string => `{"resourceSpans":[${listItems(jsonRequest([good]))},${listItems(make())}]}`;
  return { name: `${name}, in JSON`, type: JSON_TYPE, good, make: () => Buffer.from(whole()) };
}

function makeGood(seed: string): TestSpan {
  return {
    traceId: createHash('md5').update(seed).digest('hex'),
    spanId: 'd'.repeat(16),
    attributes: CHAT,
  };
}

const IDS = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };

export const HOSTILE_BODIES: readonly HostileBody[] = [
  ...BYTES.map(([name, make]) => inProtobuf(name, make)),
  ...JSON_SPANS.map(([name, make]) => inJson(name, () => jsonBody(make()))),
  ...SPANS.flatMap(([name, make]) => [
    inProtobuf(name, () => frameRequest([encodeSpan({ ...IDS, ...make() })])),
    inJson(name, () => jsonRequest([{ ...IDS, ...make() }])),
  ]),
  inProtobuf('9,000 spans with 300 attributes of their resource', () =>
    protobufRequest(
      MANY_SPANS.spans().map((span) => ({ ...span, attributes: CHAT })),
      MANY_SPANS.source,
    ),
  ),
  inJson('9,000 spans with 300 attributes of their resource', () =>
    jsonRequest(
      MANY_SPANS.spans().map((span) => ({ ...span, attributes: CHAT })),
      MANY_SPANS.source,
    ),
  ),
];
