import type { JsonObject, JsonValue } from '../json/json-value.js';
import type { SpanRecord } from '../records/span.js';
import { toOtlpSpan } from './to-otlp-span.js';
import { type FindBase64, listSentMedia, SENT_MEDIA_BYTES } from './write-media.js';

const PNG = { id: 'a'.repeat(64), type: 'image/png', size: 300_000 };
const WAV = { id: 'b'.repeat(64), type: 'audio/wav', size: 5000 };
const PDF = { id: 'c'.repeat(64), type: 'application/pdf', size: 9000 };

const cut = (media: JsonObject): JsonObject => ({ bytes: 9, kept: 4, sha256: 'd'.repeat(64), media });

function makeSpan(input: JsonValue[], truncated: Record<string, JsonObject>): SpanRecord {
  return {
    id: '00f067aa0ba902b7',
    trace_id: '0af76519-16cd-43dd-8448-eb211c80319c',
    trace_function_key: 'desk',
    name: 'answer',
    type: 'llm',
    status: 'ok',
    started_at: '2026-01-01T00:00:00.000000Z',
    span_data: { input, meta: { input: { truncated } } },
  };
}

function writeParts(span: SpanRecord, find?: FindBase64): unknown {
  const { attributes } = toOtlpSpan(span, find).span;
  const messages = JSON.parse(attributes['gen_ai.input.messages'] as string) as { parts: unknown }[];
  return messages.at(-1)?.parts;
}

const IMAGE = { modality: 'image', mime_type: 'image/png' };
const FILE = { type: 'file', ...IMAGE, file_id: PNG.id };
const BLOB = { type: 'blob', ...IMAGE, content: 'iVBORw0KGgo=' };

describe('media in an exported message', () => {
  const text = { type: 'text', text: 'What is this?' };
  it.each<[string, JsonValue, string]>([
    ['OpenAI', { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO…' } }, '/image_url/url'],
    [
      'Anthropic',
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO…' } },
      '/source/data',
    ],
    ['the AI SDK', { type: 'file', mediaType: 'image/png', data: 'iVBO…' }, '/data'],
    ['a list of bytes', 'iVBO…', ''],
  ])('is one part of the GenAI conventions, from the shape of %s', (_, part, within) => {
    const span = makeSpan([{ model: 'gpt-5', messages: [{ role: 'user', content: [text, part] }] }], {
      [`/0/messages/0/content/1${within}`]: cut(PNG),
    });
    const said = { type: 'text', content: 'What is this?' };
    expect(writeParts(span)).toEqual([said, FILE]);
    expect(writeParts(span, () => 'iVBORw0KGgo=')).toEqual([said, BLOB]);
  });

  it('is one part in the contents of Google, and names sounds and documents by their modality', () => {
    const inline = (mimeType: string): JsonObject => ({ inlineData: { mimeType, data: 'UklG…' } });
    const contents = [{ role: 'user', parts: [inline('audio/wav'), inline('application/pdf')] }];
    const span = makeSpan([{ contents }], {
      '/0/contents/0/parts/0/inlineData/data': cut(WAV),
      '/0/contents/0/parts/1/inlineData/data': cut(PDF),
    });
    expect(writeParts(span, ({ id }) => (id === WAV.id ? 'UklGRg==' : undefined))).toEqual([
      { type: 'blob', modality: 'audio', mime_type: 'audio/wav', content: 'UklGRg==' },
      { type: 'file', modality: 'document', mime_type: 'application/pdf', file_id: PDF.id },
    ]);
  });

  it('stays as recorded if it is no part, as do references to no place', () => {
    const span = makeSpan([{ messages: [{ role: 'user', content: 'iVBO…' }] }], {
      '/0/messages/0/content': cut(PNG),
      '/0/messages/7/content/0': cut(PNG),
      '/9': cut(PNG),
      '/0/messages/length': cut(PNG),
      '/0/__proto__/0': cut(PNG),
      '/0': cut(PNG),
    });
    expect(writeParts(span, () => 'iVBORw0KGgo=')).toEqual([{ type: 'text', content: 'iVBO…' }]);
  });

  it('leaves the recorded input as it is', () => {
    const input = [{ messages: [{ role: 'user', content: [{ type: 'image', data: 'iVBO…' }] }] }];
    const span = makeSpan(input, { '/0/messages/0/content/0/data': cut(PNG) });
    const { attributes } = toOtlpSpan(span, () => 'iVBORw0KGgo=').span;
    expect(JSON.parse(attributes['dacapo.input'] as string)).toEqual(input);
    expect(JSON.stringify(span)).not.toContain('blob');
  });
});

describe('the media that are sent with a span', () => {
  it('are those that fit, each once', () => {
    const large = { ...PDF, size: SENT_MEDIA_BYTES };
    const span = makeSpan([], { '/0': cut(PNG), '/1': cut(large), '/2': cut(PNG), '/3': cut(WAV) });
    expect(listSentMedia(span)).toEqual([PNG, WAV]);
    expect(listSentMedia({ ...span, type: 'function' })).toEqual([]);
  });
});
