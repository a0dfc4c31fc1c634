import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import type { JsonValue, SpanRecord } from '@dacapo/protocol';
import { from } from 'rxjs';
import { createTestTracer } from '../../testing.js';

const SECRET = 'sk-proj-abcdefghijklmnopqrst1234';
/** Of which no record may have a part that is longer than the head of all such keys. */
const PARTS = Array.from({ length: 10 }, (_, at) => SECRET.slice(8 + at * 2, 14 + at * 2));

const EVENTS = `event: delta\ndata: {"text":"Your key is ${SECRET}, keep it."}\n\nevent: done\ndata: [DONE]\n\n`;

/** The text in pieces that break it at every `size` characters. */
function pieces(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
    text.slice(i * size, (i + 1) * size),
  );
}

function leaks(spans: unknown): string[] {
  const json = JSON.stringify(spans);
  // Bytes are in base64, each piece of its own.
  const texts = [
    json,
    ...[...json.matchAll(/"([A-Za-z0-9+/]{4,}={0,2})"/g)].map(([, text = '']) =>
      Buffer.from(text, 'base64').toString('latin1'),
    ),
  ];
  const joined = texts.slice(1).join('');
  return PARTS.filter((part) => [...texts, joined].some((text) => text.includes(part)));
}

/** Pieces of the secret in what the events of a recorded stream say, one after the other. */
function leaksInEvents([span]: readonly SpanRecord[]): string[] {
  const { types = {} } = span?.span_data.meta?.output ?? {};
  const items = (span?.span_data.output ?? []) as readonly JsonValue[];
  const body = items
    .map((item, at) => {
      const [text = ''] = textsIn(item).filter((found) => found !== 'delta');
      return types[`/${at}`] === undefined ? text : Buffer.from(text, 'base64').toString('latin1');
    })
    .join('');
  const said = [...body.matchAll(/"(?:content|text|response)":"([^"]*)"/g)].map(([, text]) => text).join('');
  expect(said).toContain('Your key is');
  return PARTS.filter((part) => said.includes(part));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** What a function returns that streams these items. */
const STREAMS: readonly [string, (items: unknown[]) => unknown][] = [
  [
    'a generator',
    (items) =>
      (function* () {
        yield* items;
      })(),
  ],
  [
    'an async generator',
    (items) =>
      (async function* () {
        for (const item of items) yield await Promise.resolve(item);
      })(),
  ],
  ['a web stream', (items) => ReadableStream.from(items)],
  ['a Node stream', (items) => Readable.from(items)],
  ['an Observable', (items) => from(items)],
];
const FORMS: readonly [string, (piece: string) => unknown][] = [
  ['text', (piece) => piece],
  ['objects', (piece) => ({ type: 'delta', delta: { text: piece } })],
  ['objects with ids', (piece) => ({ id: piece.length, choices: [{ delta: { content: piece } }] })],
  ['a Buffer', (piece) => Buffer.from(piece)],
  ['bytes', (piece) => new TextEncoder().encode(piece)],
];

async function readAll(result: unknown): Promise<void> {
  const stream = result as AsyncIterable<unknown> & { subscribe?: (observer: object) => void };
  if (stream.subscribe !== undefined) {
    await new Promise<void>((resolve) => {
      stream.subscribe?.({ complete: resolve });
    });
    return;
  }
  let items = 0;
  for await (const item of stream) items += Number(item !== undefined);
  expect(items).toBeGreaterThan(0);
}

describe.each(STREAMS)('a secret in pieces of %s', (_, createStream) => {
  it.each(FORMS)('of %s is in no place of the record', async (__, form) => {
    for (const size of [1, 2, 3, 5, 7, 11, 16, 23, 32]) {
      const { tracer, spans } = createTestTracer({ capture: { redactionSecret: 'one' } });
      const stream = tracer.withSpan('stream', () => createStream(pieces(EVENTS, size).map(form)));
      await readAll(await stream());
      expect([size, leaks(spans)]).toEqual([size, []]);
      expect(spans).toHaveLength(1);
    }
  });
});

/** What a model says in pieces, as the events and lines of its API. */
const BODIES: readonly [string, (pieces: readonly string[]) => string][] = [
  [
    'server-sent events',
    (said) =>
      said
        .map((content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`)
        .join('') + 'data: [DONE]\n\n',
  ],
  [
    'named events with CRLF',
    (said) =>
      said
        .map((text) => `event: content_block_delta\r\ndata:${JSON.stringify({ delta: { text } })}\r\n\r\n`)
        .join(''),
  ],
  [
    'lines of JSON',
    (said) => said.map((response) => `${JSON.stringify({ response, done: false })}\n`).join(''),
  ],
];

describe.each(BODIES)('a secret in several of the %s', (_, makeBody) => {
  it.each(FORMS)('of a stream of %s is in no place of the record', async (__, form) => {
    for (const said of [1, 3, 6, 9, 20])
      for (const size of [5, 23, 64, 1000, 100_000]) {
        const { tracer, spans } = createTestTracer({ capture: { redactionSecret: 'one' } });
        const body = makeBody(pieces(`Your key is ${SECRET}, keep it.`, said));
        const stream = tracer.withSpan('stream', () => ReadableStream.from(pieces(body, size).map(form)));
        await readAll(stream());
        expect([said, size, leaksInEvents(spans)]).toEqual([said, size, []]);
      }
  });

  it('leaves events without a secret as they are', async () => {
    const { tracer, spans } = createTestTracer();
    const items = pieces(makeBody(pieces('Nothing in here is secret, {"not": even this}.', 4)), 23);
    await readAll(tracer.withSpan('stream', () => ReadableStream.from(items))());
    expect(spans[0]?.span_data.output).toEqual(items);
  });
});

describe('a private key in pieces', () => {
  const body = Array.from({ length: 20 }, (_, i) =>
    Buffer.from(`line ${i} of the key`.padEnd(48, '.')).toString('base64'),
  );
  const text = `The key:\n-----BEGIN PRIVATE KEY-----\n${body.join('\n')}\n-----END PRIVATE KEY-----\nKeep it.\n`;

  it.each([1, 7, 40, 64, 100, 130, 500, 2000])('of %i characters is in no place of the record', (size) => {
    for (const [, form] of FORMS) {
      const { tracer, spans } = createTestTracer();
      const stream = tracer.withSpan('stream', function* () {
        yield* pieces(text, size).map(form);
      });
      expect([...stream()].length).toBeGreaterThan(0);
      const json = JSON.stringify(spans);
      for (const line of body) expect(json).not.toContain(line.slice(20, 40));
    }
  });
});

describe('pieces without a secret', () => {
  it('stay unchanged next to a piece with a whole value', () => {
    const { tracer, spans } = createTestTracer({ capture: { redactionSecret: 'one' } });
    const items = ['first ', `the key is ${SECRET}.`, ' then ', 'last'];
    const stream = tracer.withSpan('stream', function* () {
      yield* items;
    });
    expect([...stream()]).toEqual(items);
    const [first, second, ...others] = spans[0]?.span_data.output as string[];
    expect([first, ...others]).toEqual(['first ', ' then ', 'last']);
    expect(second).toMatch(/^the key is \[redacted:[0-9a-f]+\]\.$/);
    const rows = tracer.withSpan('rows', function* () {
      for (const key of [SECRET, `${SECRET}5`]) yield { key, name: 'Ann' };
    });
    expect([...rows()]).toHaveLength(2);
    expect(spans.at(-1)?.span_data.output).toEqual([
      { key: expect.stringMatching(/^\[redacted:/), name: 'Ann' },
      { key: expect.stringMatching(/^\[redacted:/), name: 'Ann' },
    ]);
  });
});
