import type { JsonValue } from '../json/json-value.js';
import type { FieldMeta } from '../records/span.js';
import { equal, type EqualOptions } from './equal.js';
import { readValue, type RecordedValue } from './read-value.js';

const of = (json: JsonValue, meta?: FieldMeta): RecordedValue => ({ json, meta });
const typed = (json: JsonValue, types: NonNullable<FieldMeta['types']>): RecordedValue => of(json, { types });
const compare = (left: RecordedValue, right: RecordedValue, options?: EqualOptions): string => {
  const there = equal(readValue(left), readValue(right), options);
  expect(equal(readValue(right), readValue(left), options)).toBe(there);
  return there;
};

const FUNCTION = { type: 'opaque', class: 'Function' };
/** A list of `size` items, cut to `items`; `undefinedAt`: indexes of `undefined` items. */
const list = (items: JsonValue[], size = items.length, undefinedAt: number[] = []): RecordedValue =>
  of(items, {
    types: Object.fromEntries(undefinedAt.map((index) => [`/${index}`, 'undefined'])),
    ...(size > items.length && { truncated: { '': { items: size, kept: items.length } } }),
  });
const map = (entries: JsonValue[], types: NonNullable<FieldMeta['types']> = {}): RecordedValue =>
  typed(entries, { ...types, '': 'Map' });

describe('runs of undefined items', () => {
  it.each<[string, RecordedValue, RecordedValue]>([
    ['different', list([null, null, 1], 3, [0, 1]), list([null, 1, 1], 3, [0])],
    ['different', list([null, 1], 2, [0]), list([null, null], 2, [0, 1])],
    ['different', list([1, null], 2, [1]), list([1, 2])],
    ['unknown', list([null], 4, [0]), list([null, null, 1, 1], 4, [0, 1])],
    ['different', list([null, null, null], 4, [0, 1, 2]), list([null, null, 1, 1], 4, [0, 1])],
    ['different', list([null], 2, [0]), list([1, 1])],
    ['different', list([null, null, 1], 3, [0, 1]), list([5], 3)],
  ])('compare as %s %#', (equality, left, right) => {
    expect(compare(left, right)).toBe(equality);
  });
});

describe('properties of one side only', () => {
  const cut = (json: JsonValue, properties: number): RecordedValue =>
    of(json, { truncated: { '': { properties, kept: Object.keys(json as object).length } } });
  const token = '[redacted:aaaaaaaaaaaa]';

  it.each<[string, string, RecordedValue, RecordedValue]>([
    ['unknown', 'the other side was cut', cut({ a: 1 }, 2), of({ a: 1, b: 2 })],
    ['different', 'only this side was cut', cut({ a: 1, b: 2 }, 3), of({ a: 1, c: 1 })],
    ['different', 'both sides are complete', of({ a: 1 }), of({ a: 1, b: 2 })],
    [
      'unknown',
      'names were masked',
      of({ [token]: 1 }, { redacted: [''] }),
      of({ [token]: 1, b: 2 }, { redacted: [''] }),
    ],
    [
      'different',
      'the value is an instance of a class named Getter',
      typed({ a: {} }, { '/a': { type: 'class', class: 'Getter' } }),
      of({}),
    ],
  ])('are %s if %s', (equality, _, left, right) => {
    expect(compare(left, right)).toBe(equality);
  });
});

describe('Maps and Sets', () => {
  const shared = Array.from({ length: 60 }, (_, index): JsonValue => (index === 0 ? [1] : [null, null]));
  const endless = map(
    [[shared, 1]],
    Object.fromEntries(
      shared.flatMap((_, index) =>
        index === 0
          ? []
          : [0, 1].map((side) => [`/0/0/${index}/${side}`, { type: 'ref', to: `2/${index - 1}` }]),
      ),
    ),
  );

  it.each<[string, string, RecordedValue, RecordedValue]>([
    ['different', 'one is a Map and the other a Set', map([]), typed([], { '': 'Set' })],
    ['different', 'only one has a subclass', map([]), typed([], { '': { type: 'Map', class: 'Prices' } })],
    [
      'different',
      'they have different numbers of functions',
      typed(['f'], { '': 'Set', '/0': FUNCTION }),
      typed(['f', 'f'], { '': 'Set', '/0': FUNCTION, '/1': FUNCTION }),
    ],
    [
      'unknown',
      'the cut may have removed the entry',
      of([['a', 1]], { types: { '': 'Map' }, truncated: { '': { items: 3, kept: 1 } } }),
      map([
        ['a', 1],
        ['b', 2],
        ['c', 3],
      ]),
    ],
    [
      'different',
      'the complete side lacks an item of the cut side',
      of(['c'], { types: { '': 'Set' }, truncated: { '': { items: 2, kept: 1 } } }),
      typed(['a', 'b'], { '': 'Set' }),
    ],
    [
      'unknown',
      'one was cut from an unknown number of items',
      of(['a'], { types: { '': 'Set' }, truncated: { '': { bytes: 9, kept: 1 } } }),
      typed(['a', 'b'], { '': 'Set' }),
    ],
    [
      'unknown',
      'the cut may have removed a second entry with an equal key',
      of([[{ k: 1 }, 2]], { types: { '': 'Map' }, truncated: { '': { items: 2, kept: 1 } } }),
      map([
        [{ k: 1 }, 1],
        [{ k: 1 }, 2],
      ]),
    ],
    [
      'different',
      'a value differs next to a function',
      map([['a', { f: 'f', n: 1 }]], { '/0/1/f': FUNCTION }),
      map([['a', { f: 'f', n: 2 }]], { '/0/1/f': FUNCTION }),
    ],
    ['unknown', 'a key is too large to write', endless, endless],
    [
      'equal',
      'equal keys have the same values, in any order',
      map([
        [{ k: 1 }, 1],
        [{ k: 1 }, 2],
      ]),
      map([
        [{ k: 1 }, 2],
        [{ k: 1 }, 1],
      ]),
    ],
    [
      'different',
      'equal keys have one value twice on one side',
      map([
        [{ k: 1 }, 1],
        [{ k: 1 }, 2],
      ]),
      map([
        [{ k: 1 }, 1],
        [{ k: 1 }, 1],
      ]),
    ],
    [
      'different',
      'a key occurs twice on one side',
      map([
        [{ k: 1 }, 1],
        [{ k: 1 }, 1],
      ]),
      map([
        [{ k: 1 }, 1],
        [{ j: 1 }, 1],
      ]),
    ],
    [
      'unknown',
      'values of equal keys include a function',
      map(
        [
          [{ k: 1 }, 'f'],
          [{ k: 1 }, 2],
        ],
        { '/0/1': FUNCTION },
      ),
      map([
        [{ k: 1 }, 1],
        [{ k: 1 }, 2],
      ]),
    ],
  ])('are %s if %s', (equality, _, left, right) => {
    expect(compare(left, right)).toBe(equality);
  });
});
