import type { JsonValue } from '../json/json-value.js';
import type { FieldMeta } from '../records/span.js';
import { equal, type EqualOptions } from './equal.js';
import { readValue, type RecordedValue } from './read-value.js';

type Note = NonNullable<FieldMeta['types']>[string];
const typed = (json: JsonValue, note: Note, more: FieldMeta['types'] = {}): RecordedValue => ({
  json,
  meta: { types: { '': note, ...more } },
});
const compare = (left: RecordedValue, right: RecordedValue, options?: EqualOptions): string => {
  const there = equal(readValue(left), readValue(right), options);
  expect(equal(readValue(right), readValue(left), options)).toBe(there);
  return there;
};

const TIME = '2026-01-01T00:00:00.000Z';
const LATER = '2026-01-02T00:00:00.000Z';

/** A type name with two different values as JSON. */
const EXTENDABLE: [type: string, one: JsonValue, other: JsonValue, details?: object][] = [
  ['Array', [1], [2]],
  ['Date', TIME, LATER],
  ['RegExp', '/a/g', '/b/g'],
  ['URL', 'https://a.b/', 'https://a.c/'],
  ['Buffer', 'aGk=', 'aGo='],
  ['boxed', 'a', 'b'],
];

describe.each(EXTENDABLE)('an object whose class may extend %s', (type, one, other) => {
  const ofClass = (json: JsonValue, name: string): RecordedValue => typed(json, { type, class: name });
  const hiding = (json: JsonValue): RecordedValue => typed(json, { type, hidden: true });
  const plain = (json: JsonValue): RecordedValue => typed(json, { type });

  it('equals one of the same class with the same data', () => {
    expect(compare(plain(one), plain(one))).toBe('equal');
    expect(compare(ofClass(one, 'A'), ofClass(one, 'A'))).toBe('equal');
    expect(compare(plain(one), plain(other))).toBe('different');
    expect(compare(ofClass(one, 'A'), ofClass(other, 'A'))).toBe('different');
  });

  it('differs from one of another class', () => {
    expect(compare(ofClass(one, 'A'), ofClass(one, 'B'))).toBe('different');
  });

  it('is unknown compared with one that names no class, as in records made before the upgrade', () => {
    expect(compare(ofClass(one, 'A'), plain(one))).toBe('unknown');
    expect(compare(ofClass(one, 'A'), plain(other))).toBe('different');
  });

  it('is unknown if one of the two hides state', () => {
    expect(compare(hiding(one), hiding(one))).toBe('unknown');
    expect(compare(hiding(one), plain(one))).toBe('unknown');
    expect(compare(hiding(one), plain(other))).toBe('different');
  });

  it('matches as a key of a Map by class and hidden state', () => {
    const keyed = (json: JsonValue, details: object): RecordedValue =>
      typed([[json, 1]], 'Map', { '/0/0': { type, ...details } });
    expect(compare(keyed(one, { class: 'A' }), keyed(one, { class: 'A' }))).toBe('equal');
    expect(compare(keyed(one, { class: 'A' }), keyed(one, { class: 'B' }))).toBe('different');
    expect(compare(keyed(one, { hidden: true }), keyed(one, { hidden: true }))).toBe('unknown');
  });
});

describe.each(['Object', 'null-prototype'] as const)('a plain object with the note %s', (type) => {
  const hiding = (json: JsonValue): RecordedValue => typed(json, { type, hidden: true });
  const shown = (json: JsonValue): RecordedValue => (type === 'Object' ? { json } : typed(json, type));
  const other = (json: JsonValue): RecordedValue =>
    type === 'Object' ? typed(json, 'null-prototype') : { json };

  it('is unknown if one of the two hides data', () => {
    expect(compare(hiding({ a: 1 }), hiding({ a: 1 }))).toBe('unknown');
    expect(compare(hiding({ a: 1 }), shown({ a: 1 }))).toBe('unknown');
  });

  it('differs if its properties or its prototype differ', () => {
    expect(compare(hiding({ a: 1 }), shown({ a: 2 }))).toBe('different');
    expect(compare(hiding({ a: 1 }), other({ a: 1 }))).toBe('different');
    expect(compare(hiding({ a: 1 }), { json: [1] })).toBe('different');
  });

  it('is unknown if its note is on another type', () => {
    expect(compare(typed([1], { type, hidden: true }), { json: [1] })).toBe('unknown');
  });
});

describe('an AbortSignal', () => {
  const signal = (aborted: boolean, reason?: string): Note => ({
    type: 'AbortSignal',
    aborted,
    ...(reason !== undefined && { reason }),
  });
  const cases: [string, Note, Note, keys: string][] = [
    ['equal', signal(false), signal(false), 'equal'],
    ['different', signal(false), signal(true, 'AbortError'), 'different'],
    ['different', signal(false), signal(true), 'unknown'],
    ['equal', signal(true, 'TimeoutError'), signal(true, 'TimeoutError'), 'equal'],
    ['equal', signal(true, 'AbortError'), signal(true, 'AbortError'), 'equal'],
    ['different', signal(true, 'TimeoutError'), signal(true, 'AbortError'), 'different'],
    ['unknown', signal(true), signal(true), 'unknown'],
    ['unknown', signal(true), signal(true, 'AbortError'), 'unknown'],
  ];

  it.each(cases)('is %s by its state and its reason: %j, %j', (equality, left, right, ofKeys) => {
    expect(compare(typed(null, left), typed(null, right))).toBe(equality);
    const keyed = (note: Note): RecordedValue => typed([[null, 1]], 'Map', { '/0/0': note });
    expect(compare(keyed(left), keyed(right))).toBe(ofKeys);
  });

  it('differs from a value of another type', () => {
    expect(compare(typed(null, signal(false)), { json: null })).toBe('different');
    expect(compare(typed(null, signal(false)), typed(TIME, 'Date'))).toBe('different');
  });
});

describe('values of two types', () => {
  it.each<[string, string, RecordedValue, RecordedValue]>([
    ['different', 'a Date and a number', typed(TIME, 'Date'), { json: 0 }],
    ['different', 'a RegExp and null', typed('/a/', 'RegExp'), { json: null }],
    ['different', 'a RegExp and a symbol', typed('/a/', 'RegExp'), typed('a', { type: 'symbol', key: 'a' })],
    [
      'unknown',
      'an object that hides state and an opaque Stream',
      typed({ a: 1 }, { type: 'class', class: 'Upload', hidden: true }),
      typed('[Stream]', { type: 'opaque', class: 'Stream' }),
    ],
    [
      'different',
      'a completely recorded object and an opaque Stream',
      typed({ a: 1 }, { type: 'class', class: 'Point' }),
      typed('[Stream]', { type: 'opaque', class: 'Stream' }),
    ],
    [
      'different',
      'objects of two classes, one of which hides state',
      typed({ a: 1 }, { type: 'class', class: 'Upload', hidden: true }),
      typed({ a: 1 }, { type: 'class', class: 'Point' }),
    ],
    [
      'different',
      'two opaque objects of different classes',
      typed('[Stream]', { type: 'opaque', class: 'Stream' }),
      typed('[Key]', { type: 'opaque', class: 'Key' }),
    ],
  ])('are %s: %s', (equality, _, left, right) => {
    expect(compare(left, right)).toBe(equality);
  });
});

describe('a masked value that was not a string', () => {
  const masked = (json: JsonValue, type: string): RecordedValue => ({
    json,
    meta: { redacted: [''], types: { '': { type: 'masked', of: type } } },
  });
  const [a, b] = ['[redacted:aaaaaaaaaaaa]', '[redacted:bbbbbbbbbbbb]'];
  const text: RecordedValue = { json: a, meta: { redacted: [''] } };

  it.each<[string, RecordedValue, RecordedValue]>([
    ['equal', masked(a, 'JSON'), masked(a, 'JSON')],
    ['unknown', masked(a, 'JSON'), masked(b, 'JSON')],
    ['unknown', masked(a, 'other'), masked(a, 'other')],
    ['unknown', masked(a, 'JSON'), masked(a, 'other')],
    ['unknown', masked(a, 'JSON'), text],
    ['unknown', masked(a, 'JSON'), { json: a }],
    ['equal', text, text],
  ])('is %s by its token and its type %#', (equality, left, right) => {
    expect(compare(left, right)).toBe(equality);
    expect(compare(left, right, { sameSalt: true })).toBe(equality);
  });

  it('is unknown if the other value is an object', () => {
    expect(compare(masked(a, 'JSON'), { json: { p: 1 } })).toBe('unknown');
    const renamed: RecordedValue = { json: { [a]: 1 }, meta: { redacted: [''] } };
    expect(compare(text, renamed)).toBe('unknown');
    expect(compare(renamed, { json: [1] })).toBe('unknown');
  });
});

describe('errors as keys and inside other values', () => {
  const keyed = (message: string): RecordedValue =>
    typed([[{ name: 'E', message }, 1]], 'Map', { '/0/0': { type: 'Error', class: 'E' } });

  it('match as keys by their message', () => {
    expect(compare(keyed('m'), keyed('m'))).toBe('equal');
    expect(compare(keyed('m'), keyed('n'))).toBe('different');
  });

  const failure = (details: JsonValue, meta: FieldMeta = {}): RecordedValue => ({
    json: { name: 'E', message: 'm', details },
    meta: { ...meta, types: { '': { type: 'Error', class: 'E' }, ...meta.types } },
  });

  it('include the contents of a Map or a masked object', () => {
    const map = (value: number): RecordedValue =>
      failure([['k', { at: value }]], { types: { '/details': 'Map' } });
    expect(compare(map(1), map(1))).toBe('equal');
    expect(compare(map(1), map(2))).toBe('different');
    const secret = (digit: string): RecordedValue =>
      failure(`[redacted:${digit.repeat(12)}]`, { redacted: ['/details'] });
    expect(compare(secret('a'), secret('a'))).toBe('equal');
    expect(compare(secret('a'), secret('b'))).toBe('unknown');
  });
});
