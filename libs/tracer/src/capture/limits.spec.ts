import { LIMITS, type FieldMeta, type JsonValue, decode, readValue } from '@dacapo/protocol';
import { Capturer } from './capturer.js';

const decoded = (json: JsonValue, meta?: FieldMeta, codecs?: Parameters<typeof decode>[1]): unknown =>
  decode(readValue({ json, meta }), codecs);

const capturer = new Capturer();
const countBytes = (text: string): number => Buffer.byteLength(text);

describe('a text of 100 MB', () => {
  const { json, meta, replayable } = capturer.capture({ huge: 'x'.repeat(100_000_000), after: 'kept' });

  it('leaves its ends and its length, and harms no neighbour', () => {
    const { kept, tail } = meta!.truncated!['/huge'] as { kept: number; tail: number };
    expect(JSON.parse(json)).toEqual({ huge: `${'x'.repeat(kept)}…${'x'.repeat(tail)}`, after: 'kept' });
    expect(meta).toEqual({ truncated: { '/huge': { characters: 100_000_000, kept, tail } } });
    expect(kept + tail).toBeGreaterThan(900_000);
  });

  it('notes that the call is not replayable', () => {
    expect(replayable).toBe(false);
  });
});

describe('bytes', () => {
  it('are kept whole up to the limit', () => {
    const bytes = Buffer.alloc(64 * 1024, 7);
    const { json, meta, replayable } = capturer.capture(bytes);
    expect(decoded(JSON.parse(json), meta)).toEqual(bytes);
    expect(replayable).toBe(true);
  });

  it.each([96, 100, 300, 500])('are kept whole up to a limit of yours: %i KiB', (kib) => {
    const value = { before: 'text', bytes: Buffer.alloc(kib * 1024, 7), after: 'text' };
    const { json, meta, replayable } = new Capturer({ maxBinaryBytes: 4 * 1024 * 1024 }).capture(value);
    expect(decoded(JSON.parse(json), meta)).toEqual(value);
    expect(replayable).toBe(true);
  });

  it('beyond it leave both ends and a hash', () => {
    const { json, meta, replayable } = capturer.capture(Buffer.alloc(1024 * 1024));
    expect((JSON.parse(json) as string).length).toBe(128);
    expect(meta?.truncated).toEqual({
      '': { bytes: 1024 * 1024, kept: 48, tail: 48, sha256: expect.any(String) },
    });
    expect(replayable).toBe(false);
  });
});

describe('a field', () => {
  const small = new Capturer({ maxFieldBytes: 8192 });

  it.each<[string, unknown]>([
    ['many items', Array.from({ length: 100_000 }, (_, i) => i)],
    ['many properties', Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`key${i}`, i]))],
    ['a huge Map', new Map(Array.from({ length: 100_000 }, (_, i) => [i, { i }]))],
    ['a huge Set', new Set(Array.from({ length: 100_000 }, (_, i) => i))],
    ['many long strings', Array.from({ length: 100 }, () => 'y'.repeat(1000))],
    ['characters that take six bytes escaped', Array.from({ length: 100 }, () => '\u0001'.repeat(1000))],
    ['characters that take three bytes', Array.from({ length: 100 }, () => '€'.repeat(1000))],
    ['many dates', Array.from({ length: 10_000 }, () => new Date(0))],
    ['many undefined', Array.from({ length: 10_000 }, (_, i) => (i % 2 ? undefined : 1))],
    ['long names', Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${i}${'k'.repeat(5000)}`, i]))],
    ['brackets alone', Array.from({ length: 10_000 }, () => [[[]]])],
    ['functions', Array.from({ length: 10_000 }, () => () => 1)],
  ])('of %s stays within its bytes, says what it lost, and lets its neighbour be', (_, value) => {
    const { json, meta, replayable } = small.capture([value, 'neighbour']);
    expect(countBytes(json)).toBeLessThanOrEqual(8192);
    expect((JSON.parse(json) as unknown[])[1]).toBe('neighbour');
    expect(Object.keys(meta?.truncated ?? {}).length).toBeGreaterThan(0);
    expect(countBytes(JSON.stringify(meta))).toBeLessThan(3 * 8192);
    expect(replayable).toBe(false);
  });

  it('names how many items there were and how many stayed', () => {
    const { json, meta } = small.capture({ list: Array.from({ length: 100_000 }, () => 'item') });
    const here = (JSON.parse(json) as { list: unknown[] }).list.length;
    const note = meta?.truncated?.['/list'] as { kept: number; tail: number };
    expect(note).toEqual({
      items: 100_000,
      kept: expect.any(Number),
      tail: here - note.kept,
      sha256: expect.any(String),
    });
    expect(here).toBeGreaterThan(500);
  });

  it('keeps up to a megabyte whole by default', () => {
    const document = { pages: Array.from({ length: 8 }, () => 'word '.repeat(21_500)) };
    const { json, meta } = capturer.capture([document]);
    expect(countBytes(json)).toBeGreaterThan(850_000);
    expect(meta).toBeUndefined();
  });

  it('never nests deeper than a line may', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 1000; i++) deep = new Map([[i, deep]]);
    const { json } = new Capturer({ maxDepth: 400 }).capture(deep);
    expect(json.split('[').length).toBeLessThan(LIMITS.jsonDepth);
    expect(() => JSON.parse(json) as unknown).not.toThrow();
  });

  it('cuts a bigint that takes long to write', () => {
    expect(capturer.capture(1n << 5000n)).toMatchObject({ json: '"[BigInt]"', replayable: false });
  });
});
