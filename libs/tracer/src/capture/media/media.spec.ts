import { decode, equal, mediaReferences, readValue, restoreMedia } from '@dacapo/protocol';
import { createHash, randomBytes } from 'node:crypto';
import type { ByteString } from '../../byte-string.js';
import { sha256 } from '../../hashing.js';
import type { CaptureOptions } from '../../options/capture-options.js';
import type { Captured } from '../captured.js';
import { Capturer } from '../capturer.js';
import { MediaBuffer } from './media-buffer.js';

const TRACE = '0198c5a0-0000-7000-8000-000000000001';
const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(30_000)]);
const ID = createHash('sha256').update(PNG).digest('hex');

/** A value as it is recorded, and the media that its span's line brings. */
function record(value: unknown, options?: CaptureOptions): { captured: Captured; media: Sent[] } {
  const buffer = new MediaBuffer(() => 0);
  const captured = new Capturer(options, buffer).capture(value);
  return { captured, media: sentWith(buffer, captured) };
}

interface Sent {
  readonly id: string;
  readonly type: string;
  readonly size: number;
  readonly data?: string;
}

function sentWith(buffer: MediaBuffer, { meta }: Captured, trace = TRACE, isHeldBack = false): Sent[] {
  const line = `{"span":{"meta":${JSON.stringify(meta ?? {})}}}` as ByteString;
  return buffer
    .linesFor({ traceId: trace, pending: isHeldBack || undefined }, line)
    .map((text) => (JSON.parse(text) as { media: Sent }).media);
}

function restored({ json, meta }: Captured, media: readonly Sent[]): unknown {
  const value = { json: JSON.parse(json) as never, meta };
  return decode(readValue(restoreMedia(value, ({ id }) => media.find((one) => one.id === id)?.data)));
}

const FORMS: [name: string, form: unknown, type: string][] = [
  ['a data: URL', `data:image/png;base64,${PNG.toString('base64')}`, 'image/png'],
  ['unbroken base64', PNG.toString('base64'), 'image/png'],
  ['a Buffer', PNG, 'image/png'],
  ['a Uint8Array', new Uint8Array(PNG), 'image/png'],
  ['an ArrayBuffer', new Uint8Array(PNG).buffer, 'image/png'],
  ['a data: URL of an unknown type', `data:;base64,${PNG.toString('base64')}`, 'image/png'],
  ['sound without a header', randomBytes(90_000).toString('base64'), 'application/octet-stream'],
];

describe('media in a recorded value', () => {
  it.each(FORMS)('are stored separately, and restored unchanged: %s', (_, form, type) => {
    const value = [{ role: 'user', content: [{ type: 'image', image: form }] }];
    const { captured, media } = record(value);
    expect(captured.json.length).toBeLessThan(500);
    expect(captured.replayable).toBe(true);
    expect(media).toMatchObject([{ type }]);
    expect(restored(captured, media)).toEqual(value);
  });

  it('are sent once, in all forms and places', () => {
    const { captured, media } = record(FORMS.slice(0, 5).map(([, form]) => ({ form })));
    expect(mediaReferences(captured.meta).size).toBe(5);
    expect(media).toMatchObject([{ id: ID, size: PNG.length }]);
  });

  it('equal the same value recorded whole, and differ from another one', () => {
    const toNode = ({ json, meta }: Captured) => readValue({ json: JSON.parse(json) as never, meta });
    const [whole, other] = [PNG, randomBytes(PNG.length)].map((bytes) => bytes.toString('base64'));
    const reference = toNode(record([whole]).captured);
    expect(equal(reference, toNode(record([whole]).captured))).toBe('equal');
    expect(equal(reference, toNode(new Capturer().capture([whole])), { sha256 })).toBe('equal');
    expect(equal(reference, toNode(record([other]).captured))).toBe('different');
  });

  it('are no words, numbers in hex, short texts, or base64 that is not encoded as Node encodes it', () => {
    const others = [
      'x'.repeat(8192),
      randomBytes(8192).toString('hex'),
      randomBytes(1024).toString('base64'),
      `${'A'.repeat(8191)}B==`,
      `${PNG.toString('base64')}\n`,
      PNG.toString('base64url'),
    ];
    for (const other of others) expect(record([other]).media).toEqual([]);
  });

  it('leave no bytes where they are masked, or values are not recorded', () => {
    const base64 = randomBytes(9000).toString('base64');
    const text = Buffer.from(`password=hunter2hunter2 ${'word '.repeat(2000)}`).toString('base64');
    expect(record({ privateKey: base64 }).media).toEqual([]);
    expect(record([`data:text/plain;base64,${text}`]).media).toEqual([]);
    expect(record([base64], { redact: () => 'masked' }).media).toEqual([]);
    expect(record([base64], { metadataOnly: true }).media).toEqual([]);
    expect(record([base64], { maxMediaBytes: 0 }).media).toEqual([]);
  });

  it('stay in their place beyond the limit', () => {
    const bytes = randomBytes(40_000);
    const { captured, media } = record([bytes], { maxMediaBytes: 30_000 });
    expect(media).toEqual([]);
    expect(restored(captured, [])).toEqual([bytes]);
  });

  it('do not change with the buffer that they were read from', () => {
    const bytes = Buffer.from(PNG);
    const { captured, media } = record([bytes]);
    bytes.fill(0);
    expect(restored(captured, media)).toEqual([PNG]);
  });
});

describe('media that wait for their spans', () => {
  const buffers = (maxBytes?: number) => {
    let now = 0;
    const buffer = new MediaBuffer(() => now, maxBytes);
    const capturer = new Capturer({}, buffer);
    return {
      buffer,
      capture: (value: unknown) => capturer.capture(value),
      wait: (ms: number) => (now += ms),
    };
  };

  it('are sent once a trace, and with their bytes once a minute', () => {
    const { buffer, capture, wait } = buffers();
    expect(sentWith(buffer, capture([PNG]), 'a')).toMatchObject([{ id: ID, data: PNG.toString('base64') }]);
    expect(sentWith(buffer, capture([PNG]), 'a')).toEqual([]);
    expect(sentWith(buffer, capture([PNG]), 'b')).toEqual([
      { id: ID, trace_id: 'b', type: 'image/png', size: PNG.length },
    ]);
    wait(60_000);
    expect(sentWith(buffer, capture([PNG]), 'c')).toMatchObject([{ data: PNG.toString('base64') }]);
  });

  it('are sent with their bytes after a trace that was held back', () => {
    const { buffer, capture } = buffers();
    sentWith(buffer, capture([PNG]), 'held', true);
    expect(sentWith(buffer, capture([PNG]), 'a')).toMatchObject([{ data: PNG.toString('base64') }]);
  });

  it('keep their reference when there is no memory for their bytes', () => {
    const { buffer, capture } = buffers(40_000);
    const [first, second] = [capture([PNG]), capture([randomBytes(30_000)])];
    expect(sentWith(buffer, first)).toEqual([
      { id: ID, trace_id: TRACE, type: 'image/png', size: PNG.length },
    ]);
    expect(sentWith(buffer, second)[0]).toHaveProperty('data');
  });
});
