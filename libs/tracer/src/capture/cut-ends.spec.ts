import { decode, equal, type Equality, type FieldMeta, type JsonValue, readValue } from '@dacapo/protocol';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { sha256 } from '../hashing.js';
import type { CaptureOptions } from '../options/capture-options.js';
import { Capturer } from './capturer.js';

interface Recorded {
  readonly json: JsonValue;
  readonly meta: FieldMeta | undefined;
}

function recorded(value: unknown, options: CaptureOptions = {}): Recorded {
  const { json, meta } = new Capturer(options).capture(value);
  return { json: JSON.parse(json) as JsonValue, meta };
}

function compared(left: Recorded, right: Recorded): Equality {
  return equal(readValue(left), readValue(right), { sha256 });
}

function withoutHash({ json, meta }: Recorded): Recorded {
  const cuts = Object.entries(meta?.truncated ?? {}).map(([at, note]) => [at, { ...note, sha256: null }]);
  return {
    json,
    meta: { ...meta, truncated: Object.fromEntries(cuts) as NonNullable<FieldMeta['truncated']> },
  };
}

const small = { maxFieldBytes: 8192 };
const numbers = Array.from({ length: 3000 }, (_, i) => i);

class Order {
  [field: string]: unknown;
}

/** Each made of the items 0 to 2999, of which one may be another. */
const KINDS: readonly [string, (changed?: number) => unknown][] = [
  ['a Map', (changed) => new Map(numbers.map((i) => [`key ${i}`, i === changed ? '!' : { i }]))],
  ['a Set', (changed) => new Set(numbers.map((i) => (i === changed ? '!' : `item ${i}`)))],
  [
    'an object',
    (changed) => Object.fromEntries(numbers.map((i) => [`key ${i}`, i === changed ? '!' : { i }])),
  ],
  [
    'an instance',
    (changed) =>
      Object.assign(
        new Order(),
        Object.fromEntries(numbers.map((i) => [`key ${i}`, i === changed ? '!' : i])),
      ),
  ],
  [
    'an object without a prototype',
    (changed) =>
      Object.assign(
        Object.create(null) as object,
        Object.fromEntries(numbers.map((i) => [`key ${i}`, i === changed ? '!' : i])),
      ),
  ],
];

describe.each(KINDS)('%s that is too large', (_, make) => {
  it('keeps its first and its last entries, and the hash of the whole', () => {
    const { json, meta } = recorded(make(), small);
    const note = meta!.truncated![''] as { kept: number; tail: number; sha256: string };
    const here = Object.entries(json as object);
    expect(here).toHaveLength(note.kept + note.tail);
    expect(Math.min(note.kept, note.tail)).toBeGreaterThan(50);
    const whole = Object.entries(recorded(make()).json as object);
    expect(here.slice(0, note.kept)).toEqual(whole.slice(0, note.kept));
    expect(here.slice(note.kept).map(([, value]) => value)).toEqual(
      whole.slice(-note.tail).map(([, value]) => value),
    );
    expect(note.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('compares by its hash with every other recording of it', () => {
    const [less, more, all] = [
      recorded(make(), small),
      recorded(make(), { maxFieldBytes: 16_384 }),
      recorded(make()),
    ];
    expect([compared(less, more), compared(less, all), compared(all, less)]).toEqual([
      'equal',
      'equal',
      'equal',
    ]);
    const other = make(1500);
    expect(compared(less, recorded(other, small))).toBe('different');
    expect(compared(less, recorded(other))).toBe('different');
  });

  it('without a hash is unknown, unless its first or last entries differ', () => {
    const one = withoutHash(recorded(make(), small));
    expect(compared(one, withoutHash(recorded(make(), small)))).toBe('unknown');
    expect(compared(one, withoutHash(recorded(make(1500), small)))).toBe('unknown');
    for (const changed of [0, 2999])
      expect(compared(one, withoutHash(recorded(make(changed), small)))).not.toBe('equal');
  });
});

describe('an error with too many properties', () => {
  const make = (changed?: number): Error =>
    Object.assign(
      new Error('wide'),
      Object.fromEntries(numbers.map((i) => [`key ${i}`, i === changed ? '!' : i])),
    );

  it('keeps the first and the last of them, and never equals another by these', () => {
    const { json, meta } = recorded(make(), small);
    const keys = Object.keys(json as object);
    expect([...keys.slice(0, 3), keys.at(-1)]).toEqual(['name', 'message', 'key 0', 'key 2999']);
    expect(meta!.truncated!['']).toMatchObject({ properties: 3000, tail: expect.any(Number) });
    for (const changed of [undefined, 1500]) {
      expect(compared(recorded(make(), small), recorded(make(changed), small))).toBe('unknown');
      expect(compared(recorded(make(), small), recorded(make(changed)))).toBe('unknown');
    }
    expect(compared(recorded(make(), small), recorded(make(2999), small))).toBe('different');
  });
});

describe('a large Map or Set', () => {
  it('of two million entries keeps its beginning', () => {
    const set = new Set(Array.from({ length: 2_000_000 }, (_, i) => i));
    expect(recorded(set, small).meta!.truncated!['']).toEqual({ items: 2_000_000, kept: expect.any(Number) });
  });

  it('runs no code of a class that extends it', () => {
    class Loud extends Map<number, number> {
      override get size(): number {
        throw new Error('never read');
      }
      override get(): never {
        throw new Error('never called');
      }
      override keys(): never {
        throw new Error('never called');
      }
    }
    const { json, meta } = recorded(new Loud(numbers.map((i) => [i, i])), small);
    expect((json as number[][]).at(-1)).toEqual([2999, 2999]);
    expect(meta!.truncated!['']).toMatchObject({ items: 3000 });
  });
});

describe('bytes that are too many', () => {
  const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 7) % 251));

  it.each([
    ['a Buffer', bytes],
    ['an ArrayBuffer', new Uint8Array(bytes).buffer],
    ['a Uint8Array', new Uint8Array(bytes)],
    ['a Float64Array', new Float64Array(new Uint8Array(bytes).buffer)],
    ['a DataView', new DataView(new Uint8Array(bytes).buffer)],
  ])('of %s leave both ends and the hash of all', (_, value) => {
    const { json, meta } = recorded(value);
    expect(meta!.truncated!['']).toEqual({ bytes: 200_000, kept: 48, tail: 48, sha256: sha256(bytes) });
    const ends = Buffer.concat([bytes.subarray(0, 48), bytes.subarray(-48)]);
    expect(json).toBe(ends.toString('base64'));
  });

  it('compare by their hash, or by their ends without one', () => {
    const end = Buffer.from(bytes);
    end[199_990] = 255;
    const [cut, all] = [recorded(bytes), recorded(bytes, { maxBinaryBytes: 400_000 })];
    const unhashed = withoutHash(cut);
    expect([compared(cut, all), compared(unhashed, all), compared(unhashed, unhashed)]).toEqual([
      'equal',
      'unknown',
      'unknown',
    ]);
    expect(compared(unhashed, withoutHash(recorded(end)))).toBe('different');
    expect(compared(unhashed, recorded(end, { maxBinaryBytes: 400_000 }))).toBe('different');
    const old = {
      json: bytes.toString('base64', 0, 48),
      meta: { ...cut.meta, truncated: { '': { bytes: 200_000, kept: 48 } } },
    };
    expect([compared(old, unhashed), compared(old, all)]).toEqual(['unknown', 'unknown']);
  });

  it.each([
    ['begins', 40],
    ['ends', 199_966],
    ['is in the middle of the bytes', 100_000],
  ])('leave neither end where a secret %s', (_, at) => {
    const text = Buffer.alloc(200_000, 'word ');
    text.write(' sk-proj-abcdefghijklmnopqrst1234 ', at);
    const { json, meta } = recorded(text, { redactionSecret: 'one' });
    expect(json).toBe('');
    expect(meta!.truncated!['']).toEqual({ bytes: 200_000, kept: 0, hmac: expect.any(String) });
  });
});

describe('a value with containers inside each other', () => {
  it('is written once for all of them', () => {
    let nested: unknown = ['end'];
    for (let level = 0; level < 12; level++)
      nested = [nested, numbers, nested, Object.fromEntries([['a', nested]])];
    const { json } = recorded(nested, { maxFieldBytes: 64 * 1024, maxDepth: 100 });
    expect(JSON.stringify(json).length).toBeLessThan(64 * 1024);
  });
});

describe('equality of values that are cut', () => {
  const leaf = fc.oneof(
    fc.string({ unit: 'grapheme-composite', maxLength: 40 }),
    fc.integer(),
    fc.constantFrom(null, true, undefined, NaN, 3n),
  );
  const wide = fc.oneof(
    fc.array(leaf, { minLength: 20, maxLength: 300, size: 'max' }).map((items): unknown => items),
    fc.array(leaf, { minLength: 20, maxLength: 300, size: 'max' }).map((items) => new Set(items)),
    fc
      .array(fc.tuple(fc.string({ maxLength: 12 }), leaf), { minLength: 20, maxLength: 300, size: 'max' })
      .chain((entries) =>
        fc.constantFrom<unknown>(new Map(entries), Object.fromEntries(entries), {
          deep: [Object.fromEntries(entries)],
        }),
      ),
    fc.uint8Array({ minLength: 100, maxLength: 4000, size: 'max' }),
  );

  /** The same with one entry of another value, if there are entries. */
  const changed = (value: unknown, at: number): unknown => {
    const replace = <T>(items: T[], by: (item: T) => T): T[] =>
      items.map((item, i) => (i === at % items.length ? by(item) : item));
    if (value instanceof Uint8Array) return Uint8Array.from(replace([...value], (byte) => byte ^ 1));
    if (Array.isArray(value)) return replace(value, () => 'another');
    if (value instanceof Set) return new Set(replace([...value], () => 'another'));
    if (value instanceof Map)
      return new Map(replace([...value], ([key]): [unknown, unknown] => [key, 'another']));
    return Object.fromEntries(
      replace(Object.entries(value as object), ([key, inner]): [string, unknown] => [
        key,
        typeof inner === 'object' && inner !== null ? changed(inner, at) : 'another',
      ]),
    );
  };
  const limits = fc.constantFrom(4096, 5000, 8192, 1_000_000);

  it('never calls different values equal, nor equal values different, and finds every hash', () => {
    fc.assert(
      fc.property(wide, fc.nat(), fc.boolean(), limits, limits, (value, at, isChanged, before, after) => {
        const other = isChanged ? changed(value, at) : value;
        const options = (maxFieldBytes: number): CaptureOptions => ({
          maxFieldBytes,
          maxBinaryBytes: 64,
          redactionSecret: 'one',
        });
        const [one, two] = [recorded(value, options(before)), recorded(other, options(after))];
        const isEqual = isDeepStrictEqual(value, other) || isDeepStrictEqual(unnoted(value), unnoted(other));
        const verdict = compared(one, two);
        if (verdict === 'equal') return isEqual;
        if (verdict === 'different') return !isEqual;
        return [one, two].some(({ meta }) =>
          Object.values(meta?.truncated ?? {}).some((cut) => !('sha256' in cut)),
        );
      }),
      { numRuns: 200 },
    );
  });

  it('decodes to entries of the value only', () => {
    fc.assert(
      fc.property(wide, (value) => {
        const back = decode(readValue(recorded(value, { maxFieldBytes: 4096 })));
        if (value instanceof Map)
          return [...(back as Map<unknown, unknown>)].every(
            ([key]) => typeof key !== 'string' || value.has(key) || key.endsWith('…'),
          );
        if (value instanceof Set) return [...(back as Set<unknown>)].length <= value.size;
        return true;
      }),
      { numRuns: 100 },
    );
  });

  /** A missing property equals an undefined one. */
  function unnoted(value: unknown): unknown {
    return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([, inner]) => inner !== undefined)
            .map(([key, inner]) => [key, unnoted(inner)]),
        )
      : value;
  }
});
