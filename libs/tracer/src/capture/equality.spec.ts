import { decode, equal, type Equality, hashCanonicalForm, readValue, type ValueNode } from '@dacapo/protocol';
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
  it('decodes to a value equal to the encoded one', () => {
    fc.assert(
      fc.property(value, (one) => {
        const again = decode(recorded(one));
        return compared(again, one) === 'equal' && isDeepStrictEqual(tidy(again), tidy(one));
      }),
      { numRuns: 100 },
    );
  });

  it('agrees with assert.deepStrictEqual for complete values', () => {
    fc.assert(
      fc.property(value, value, (one, other) => {
        const expected = isDeepStrictEqual(tidy(one), tidy(other)) ? 'equal' : 'different';
        return compared(one, other) === expected;
      }),
      { numRuns: 300 },
    );
  });

  it('is never wrong about cut values, at any limits', () => {
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
      { numRuns: 100 },
    );
  });

  it('is symmetric, and two values equal to a third are equal', () => {
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        const [one, two, three] = [recorded(a, cutting), recorded(b), recorded(c, cutting)];
        const there = equal(one, two, { sha256 });
        if (there !== equal(two, one, { sha256 })) return false;
        const chained = there === 'equal' && equal(two, three, { sha256 }) === 'equal';
        return !chained || equal(one, three, { sha256 }) !== 'different';
      }),
      { numRuns: 100 },
    );
  });
});

function structuredCloneOr(one: unknown): unknown {
  return decode(recorded(one));
}

describe('a change is never equal', () => {
  const capturer = new Capturer();
  const text = 'word '.repeat(300_000);
  const rows = (middle: unknown): unknown =>
    Array.from({ length: 80_000 }, (_, id) => ({ id, name: 'a name' })).with(40_000, middle as never);
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
    ['a middle item of a list that is too long to hash', 'unknown', rows(1), rows(2)],
    ['what is below the depth limit', 'different', nested(120, { a: 1 }), nested(120, { a: 2 })],
    ['a type below the depth limit', 'different', nested(120, { a: 5n }), nested(120, { a: '5' })],
  ])('of %s: %s', (_, equality, one, other) => {
    expect(compared(one, other, capturer)).toBe(equality);
    expect(compared(one, one, capturer)).toBe(equality === 'unknown' ? 'unknown' : 'equal');
  });

  it('also for a cut list with a hash', () => {
    const small = new Capturer({ maxFieldBytes: 4096 });
    const list = (last: unknown): unknown => [...Array.from({ length: 2_000 }, (_, id) => ({ id })), last];
    expect(compared([list(1)], [list(1)], small)).toBe('equal');
    expect(compared([list(1)], [list(new Date(0))], small)).toBe('different');
    expect(compared([list(1)], [list(1)], small, capturer)).toBe('equal');
    expect(compared([list(1)], [list(2)], small, capturer)).toBe('different');
  });

  it('not even when a hash could reveal a secret', () => {
    const shallow = new Capturer({ maxDepth: 2 });
    const { meta } = shallow.capture({ a: { b: { password: 'hunter2' } } });
    expect(meta?.truncated).toEqual({ '/a/b': { depth: 2, hmac: expect.any(String) } });
    expect(JSON.stringify(shallow.capture({ a: { b: { c: 'hunter' } } }).meta)).toContain('sha256');
  });

  it('nor when an object is stored under a secret name and elsewhere', () => {
    const withDate = { at: new Date(0) };
    const withText = { at: '1970-01-01T00:00:00.000Z' };
    expect(compared({ password: withDate, b: withDate }, { password: withText, b: withText }, capturer)).toBe(
      'unknown',
    );
  });
});

/** Each of the values that differ from this one in exactly one place: a type, a key, an entry, a text, an item. */
function* listChanges(of: unknown): Generator {
  if (Array.isArray(of)) {
    const items: readonly unknown[] = of;
    for (const [i, item] of items.entries())
      for (const other of listChanges(item)) yield items.with(i, other);
    yield [...items, 'one more'];
    yield Object.assign({}, items);
    if (items.length > 0) yield items.slice(1);
  } else if (of instanceof Map) {
    const pairs = [...(of as ReadonlyMap<unknown, unknown>)];
    yield pairs;
    yield new Map(pairs).set({ one: 'more' }, 1);
    for (const [i, [key, item]] of pairs.entries()) {
      for (const other of listChanges(key)) yield new Map(pairs.with(i, [other, item]));
      for (const other of listChanges(item)) yield new Map(pairs.with(i, [key, other]));
    }
  } else if (of instanceof Set) {
    const items = [...(of as ReadonlySet<unknown>)];
    yield items;
    yield new Set([...items, { one: 'more' }]);
    for (const [i, item] of items.entries())
      for (const other of listChanges(item)) yield new Set(items.with(i, other));
  } else if (of instanceof Uint8Array) {
    yield Buffer.from(of).toString('base64');
    if (of.length > 0) yield of.map((byte, i) => (i === of.length - 1 ? byte ^ 1 : byte));
    yield Buffer.concat([of, Buffer.alloc(1)]);
    yield new DataView(of.buffer, of.byteOffset, of.byteLength);
  } else if (of instanceof Date) {
    yield of.toISOString();
    yield new Date(of.getTime() + 1);
    yield of.getTime();
  } else if (isRecord(of)) {
    const entries = Object.entries(of);
    const makeObject = (members: readonly (readonly [string, unknown])[], prototype: object | null): object =>
      Object.setPrototypeOf(Object.fromEntries(members), prototype) as object;
    const prototype = Object.getPrototypeOf(of) as object | null;
    yield makeObject(entries, prototype === null ? Object.prototype : null);
    yield makeObject(entries, Ticket.prototype);
    yield makeObject([...entries, ['one more', null]], prototype);
    yield entries;
    for (const [i, [key, item]] of entries.entries()) {
      for (const other of listChanges(item)) yield makeObject(entries.with(i, [key, other]), prototype);
      if (item !== undefined) yield makeObject(entries.with(i, [`${key}'`, item]), prototype);
    }
  } else if (typeof of === 'object' && of !== null) {
    // A regular expression or a box.
    yield of instanceof RegExp ? of.source : ArrayBuffer.isView(of) ? {} : of.valueOf();
  } else if (typeof of === 'string') {
    yield `${of}.`;
    yield Object(of);
    if (of !== '') yield of.slice(0, -1);
  } else {
    // `undefined` and `null` count as different; in an object, so do a missing property and `null`.
    yield of === null ? undefined : null;
    yield typeof of === 'symbol' ? of.description : `${of as number | bigint | boolean | null | undefined}`;
    if (typeof of === 'number') yield Number.isFinite(of) ? BigInt(of) : 0;
    if (typeof of === 'bigint') yield Number(of);
  }
}

class Ticket {
  id = 1;
}

function isRecord(of: unknown): of is object {
  return (
    typeof of === 'object' && of !== null && [Object.prototype, null].includes(Object.getPrototypeOf(of))
  );
}

/** What equality does not mind, done everywhere: other orders, and properties that are `undefined`. */
function rewritten(of: unknown, turn: number): unknown {
  const turned = <T>(items: readonly T[]): T[] => [
    ...items.slice(turn),
    ...items.slice(0, turn).toReversed(),
  ];
  const inner = (item: unknown): unknown => rewritten(item, turn);
  if (Array.isArray(of)) return of.map(inner);
  if (of instanceof Map) return new Map(turned([...of]).map(([key, item]) => [inner(key), inner(item)]));
  if (of instanceof Set) return new Set(turned([...of]).map(inner));
  if (typeof of !== 'object' || of === null || Object.getPrototypeOf(of) !== Object.prototype) return of;
  return Object.fromEntries([
    ...turned(Object.entries(of)).map(([key, item]) => [key, inner(item)]),
    [`not here ${turn}`, undefined],
  ]);
}

/** Puts a value where some of it, or all that surrounds it, is cut by the limits of `cutting`. */
const places: readonly ((inner: unknown) => unknown)[] = [
  (inner) => inner,
  (inner) => [[[[inner]]]],
  (inner) => ({ a: { b: { c: { d: { e: inner } } } } }),
  (inner) => [...Array.from({ length: 600 }, (_, id) => ({ id })), inner],
  (inner) =>
    new Map<unknown, unknown>([
      ...Array.from({ length: 700 }, (_, i) => [i, `${i}`] as const),
      ['last', inner],
    ]),
  (inner) => new Set<unknown>([...Array.from({ length: 1_200 }, (_, i) => i), inner]),
  (inner) => ({ text: 'word '.repeat(2_000), inner }),
  (inner) => (typeof inner === 'string' ? 'word '.repeat(2_000) + inner : inner),
  (inner) => (inner instanceof Uint8Array ? Buffer.concat([Buffer.alloc(100), inner]) : inner),
];

describe('one place that is changed', () => {
  it('is always seen where nothing was cut', () => {
    fc.assert(
      fc.property(value, (one) => {
        const before = recorded(one);
        for (const other of listChanges(one)) {
          if (equal(before, recorded(other), { sha256 }) !== 'different') return false;
        }
        return true;
      }),
      { numRuns: 50 },
    );
  });

  it('is never equal, wherever the cut is', () => {
    fc.assert(
      fc.property(value, fc.constantFrom(...places), fc.nat(), (one, place, nth) => {
        const changes = [...listChanges(one)].map(place);
        const other = changes[nth % changes.length];
        if (isDeepStrictEqual(place(one), other)) return true;
        return [
          compared(place(one), other, cutting),
          compared(place(one), other, cutting, whole),
          compared(place(one), other, whole, cutting),
        ].every((equality) => equality !== 'equal');
      }),
      { numRuns: 50 },
    );
  });
});

describe('a value that is written in another order', () => {
  it('is equal to each other way to write it', () => {
    fc.assert(
      fc.property(value, fc.nat(3), fc.nat(3), (one, first, second) => {
        const [a, b, c] = [one, rewritten(one, first), rewritten(rewritten(one, first), second)].map((of) =>
          recorded(of),
        ) as [ValueNode, ValueNode, ValueNode];
        return [equal(a, b), equal(b, c), equal(a, c)].every((equality) => equality === 'equal');
      }),
      { numRuns: 100 },
    );
  });

  it('is never different, wherever the cut is', () => {
    fc.assert(
      fc.property(value, fc.constantFrom(...places), fc.nat(3), (one, place, turn) => {
        const other = place(rewritten(one, turn));
        return (
          compared(place(one), other, cutting) !== 'different' &&
          compared(place(one), other, cutting, whole) !== 'different'
        );
      }),
      { numRuns: 50 },
    );
  });
});

describe('the hash of a cut value', () => {
  it('calls toJSON and codecs once', () => {
    const requested: string[] = [];
    class Point {
      constructor(readonly x: number) {}
      toJSON(): object {
        requested.push('toJSON');
        return { x: this.x, times: requested.length };
      }
    }
    class Money {
      constructor(readonly cents: number) {}
    }
    const codec = {
      name: 'money',
      recognise: (of: object) => of instanceof Money,
      encode: ({ cents }: Money) => (requested.push('codec'), { cents }),
      decode: () => new Money(0),
    };
    const capturer = new Capturer({ maxFieldBytes: 4096, maxDepth: 5, codecs: [codec] });
    const shared = [new Point(1), new Money(2)];
    const value = [
      shared,
      { deep: { deep: { deep: { deep: shared } } } },
      ...new Array<unknown>(5_000).fill(1),
    ];
    const { meta } = capturer.capture([value, shared]);
    expect(Object.values(meta?.truncated ?? {}).filter(({ sha256 }) => sha256 !== undefined)).toHaveLength(2);
    expect(requested).toEqual(['toJSON', 'codec']);
  });

  it('is that of the recorded whole', () => {
    fc.assert(
      fc.property(value, (one) => {
        const { meta } = new Capturer({ ...off, maxDepth: 1 }).capture([one]);
        const hash = meta?.truncated?.['/0']?.['sha256'];
        return hash === undefined || hash === hashCanonicalForm(recorded(one), sha256);
      }),
      { numRuns: 100 },
    );
  });
});
