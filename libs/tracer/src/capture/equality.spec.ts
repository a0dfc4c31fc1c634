import { decode, equal, type Equality, hashOf, readValue, type ValueNode } from '@dacapo/protocol';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { sha256 } from '../hashing.js';
import { Capturer } from './capturer.js';
import type { CaptureOptions } from '../options/capture-options.js';

const off: CaptureOptions = { redactKeys: false, redactPatterns: false };
const whole = new Capturer(off);
const cutting = new Capturer({ ...off, maxFieldBytes: 4096, maxDepth: 4, maxBinaryBytes: 16 });

/** What stands in the store, read again. */
function recorded(value: unknown, capturer = whole): ValueNode {
  const { json, meta } = capturer.capture(value);
  return readValue({ json: JSON.parse(json), meta: meta && JSON.parse(JSON.stringify(meta)) });
}

function compared(left: unknown, right: unknown, capturer = whole, other = capturer): Equality {
  return equal(recorded(left, capturer), recorded(right, other), { sha256 });
}

const leaf = fc.oneof(
  fc.constantFrom(
    undefined,
    null,
    true,
    NaN,
    Infinity,
    0,
    1,
    '',
    '1',
    'NaN',
    'null',
    '1970-01-01T00:00:00.000Z',
  ),
  fc.constantFrom(1n, new Date(0), new Date(1), /a/g, /a/i, Symbol.for('a'), Symbol.iterator),
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.uint8Array({ maxLength: 40 }),
  fc.constantFrom(Buffer.from('a'), Buffer.alloc(30), new Uint16Array(1), Object('a'), Object(1)),
);
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', '/', '~', 'name'), tie('value'), { maxKeys: 3 }),
    fc
      .array(fc.tuple(fc.oneof(leaf, tie('value')), tie('value')), { maxLength: 3 })
      .map((pairs) => new Map(pairs)),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => new Set(items)),
    tie('value').map((shared) => [shared, { shared }]),
  ),
})).value;

/** What equality does not mind, taken out: properties that are undefined, items that are missing. */
function tidy(of: unknown): unknown {
  if (Array.isArray(of)) return of.map(tidy);
  if (of instanceof Map) return new Map([...of].map(([key, item]) => [tidy(key), tidy(item)]));
  if (of instanceof Set) return new Set([...of].map(tidy));
  if (typeof of !== 'object' || of === null || Object.getPrototypeOf(of) !== Object.prototype) return of;
  return Object.fromEntries(
    Object.entries(of).flatMap(([key, item]) => (item === undefined ? [] : [[key, tidy(item)]])),
  );
}

describe('the equality of recorded values', () => {
  it('holds what is decoded equal to what was encoded', () => {
    fc.assert(
      fc.property(value, (one) => {
        const again = decode(recorded(one));
        return compared(again, one) === 'equal' && isDeepStrictEqual(tidy(again), tidy(one));
      }),
      { numRuns: 400 },
    );
  });

  it('agrees with assert.deepStrictEqual on what is here as a whole', () => {
    fc.assert(
      fc.property(value, value, (one, other) => {
        const expected = isDeepStrictEqual(tidy(one), tidy(other)) ? 'equal' : 'different';
        return compared(one, other) === expected;
      }),
      { numRuns: 1500 },
    );
  });

  it('is never wrong about what was cut, whatever the limits are', () => {
    fc.assert(
      fc.property(value, value, fc.boolean(), (one, other, isSame) => {
        const second = isSame ? structuredCloneOr(one) : other;
        const truth = compared(one, second);
        for (const equality of [
          compared(one, second, cutting),
          compared(one, second, cutting, whole),
          compared(one, second, whole, cutting),
        ]) {
          if (equality !== 'unknown' && equality !== truth) return false;
        }
        return true;
      }),
      { numRuns: 600 },
    );
  });

  it('is symmetric, and what equals the same is equal', () => {
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        const [one, two, three] = [recorded(a, cutting), recorded(b), recorded(c, cutting)];
        const there = equal(one, two, { sha256 });
        if (there !== equal(two, one, { sha256 })) return false;
        const chained = there === 'equal' && equal(two, three, { sha256 }) === 'equal';
        return !chained || equal(one, three, { sha256 }) !== 'different';
      }),
      { numRuns: 400 },
    );
  });
});

function structuredCloneOr(one: unknown): unknown {
  return decode(recorded(one));
}

describe('a change is never equal', () => {
  const capturer = new Capturer();
  const text = 'word '.repeat(300_000);
  const rows = (last: unknown): unknown => [
    ...Array.from({ length: 60_000 }, (_, id) => ({ id, name: 'a name' })),
    last,
  ];
  const nested = (levels: number, inner: unknown): unknown =>
    levels === 0 ? inner : { next: nested(levels - 1, inner) };

  it.each<[string, Equality, unknown, unknown]>([
    ['the last character of a long text', 'different', `${text}a`, `${text}b`],
    ['a character in the middle of it', 'different', `${text}a${text}`, `${text}b${text}`],
    [
      'one byte of many',
      'different',
      Buffer.alloc(80_000, 1),
      Buffer.alloc(80_000, 1).fill(2, 40_000, 40_001),
    ],
    ['half of a surrogate pair', 'different', `${text}\ud800`, `${text}\ufffd`],
    ['the last item of a list that is too long to hash', 'unknown', rows(1), rows(2)],
    ['what is below the depth limit', 'different', nested(120, { a: 1 }), nested(120, { a: 2 })],
    ['a type below the depth limit', 'different', nested(120, { a: 5n }), nested(120, { a: '5' })],
  ])('of %s: %s', (_, equality, one, other) => {
    expect(compared(one, other, capturer)).toBe(equality);
    expect(compared(one, one, capturer)).toBe(equality === 'unknown' ? 'unknown' : 'equal');
  });

  it('also where a list was cut, and its hash is there', () => {
    const small = new Capturer({ maxFieldBytes: 4096 });
    const list = (last: unknown): unknown => [...Array.from({ length: 2_000 }, (_, id) => ({ id })), last];
    expect(compared([list(1)], [list(1)], small)).toBe('equal');
    expect(compared([list(1)], [list(new Date(0))], small)).toBe('different');
    expect(compared([list(1)], [list(1)], small, capturer)).toBe('equal');
    expect(compared([list(1)], [list(2)], small, capturer)).toBe('different');
  });

  it('not even where a hash could tell a secret', () => {
    const shallow = new Capturer({ maxDepth: 2 });
    const { meta } = shallow.capture({ a: { b: { password: 'hunter2' } } });
    expect(meta?.truncated).toEqual({ '/a/b': { depth: 2 } });
    expect(JSON.stringify(shallow.capture({ a: { b: { c: 'hunter' } } }).meta)).toContain('sha256');
  });

  it('nor where an object stands under a secret name and elsewhere', () => {
    const withDate = { at: new Date(0) };
    const withText = { at: '1970-01-01T00:00:00.000Z' };
    expect(compared({ password: withDate, b: withDate }, { password: withText, b: withText }, capturer)).toBe(
      'unknown',
    );
  });
});

describe('the hash of what was cut', () => {
  it('is that of the recorded whole', () => {
    fc.assert(
      fc.property(value, (one) => {
        const { meta } = new Capturer({ ...off, maxDepth: 1 }).capture([one]);
        const hash = meta?.truncated?.['/0']?.['sha256'];
        return hash === undefined || hash === hashOf(recorded(one), sha256);
      }),
      { numRuns: 300 },
    );
  });
});
