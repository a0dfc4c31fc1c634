import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../json/json-value.js';
import type { FieldMeta } from '../records/span.js';
import { equal, type EqualOptions } from './equal.js';
import { readValue, type RecordedValue } from './read-value.js';

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
const typed = (json: JsonValue, ...types: NonNullable<FieldMeta['types']>[string][]): RecordedValue => ({
  json,
  meta: { types: Object.fromEntries(types.map((note, i) => [i === 0 ? '' : `/${i - 1}`, note])) },
});
const of = (json: JsonValue, meta?: FieldMeta): RecordedValue => ({ json, meta });
const compare = (left: RecordedValue, right: RecordedValue, options?: EqualOptions): string => {
  const there = equal(readValue(left), readValue(right), options);
  expect(equal(readValue(right), readValue(left), options)).toBe(there);
  return there;
};
const token = (digits: string): string => `[redacted:${digits}]`;

function error(properties: JsonObject, ...opaque: (readonly [at: string, name: string])[]): RecordedValue {
  const names = opaque.map(([at, name]) => [at, { type: 'opaque', class: name }] as const);
  const types = { '': { type: 'Error', class: 'E' }, ...Object.fromEntries(names) };
  return { json: { name: 'E', message: 'm', ...properties }, meta: { types } };
}

describe('equal', () => {
  it.each<[string, RecordedValue, RecordedValue]>([
    ['the order of keys', of({ a: 1, b: [2] }), of({ b: [2], a: 1 })],
    [
      'the order of a Map',
      typed(
        [
          [1, 2],
          ['a', 3],
        ],
        'Map',
      ),
      typed(
        [
          ['a', 3],
          [1, 2],
        ],
        'Map',
      ),
    ],
    ['the order of a Set of objects', typed([{ a: 1 }, { b: 2 }], 'Set'), typed([{ b: 2 }, { a: 1 }], 'Set')],
    ['a property that is undefined', of({ a: 1 }, { types: { '/b': 'undefined' } }), of({ a: 1 })],
    [
      'an item that is missing',
      of([null], { types: { '/0': 'hole' } }),
      of([null], { types: { '/0': 'undefined' } }),
    ],
    ['the sign of zero', typed(0, '-0'), of(0)],
    [
      'the stack and per-request properties of an error at any depth',
      error({
        requestID: 1,
        stack: 'a',
        status: 4,
        response: { data: [{ request_id: 1 }], headers: { a: 1 } },
      }),
      error({ requestID: 2, response: { data: [{}], headers: { a: 2 } }, status: 4 }),
    ],
    [
      'functions on an error',
      error({ issues: [1], add: '[Function]' }, ['/add', 'Function']),
      error({ issues: [1] }),
    ],
    [
      'the client or request object of a failed call',
      error({ request: '[Request]', config: { at: 1 } }, ['/request', 'Request']),
      error({ request: '[Socket]', config: { at: 2 } }, ['/request', 'Socket']),
    ],
    ['lastIndex', typed('/a/g', { type: 'RegExp', lastIndex: 3 }), typed('/a/g', 'RegExp')],
    [
      'how undefined items were counted',
      of([null, 1], { types: { '/0': { type: 'undefined', count: 2 } } }),
      of([null, null, 1], { types: { '/0': 'undefined', '/1': 'undefined' } }),
    ],
    ['an absent record of a function that returned undefined', {}, typed(null, 'undefined')],
  ])('returns `equal` despite %s', (_, left, right) => {
    expect(compare(left, right)).toBe('equal');
  });

  it.each<[string, RecordedValue, RecordedValue]>([
    ['a Date from its text', typed('2026-01-01T00:00:00.000Z', 'Date'), of('2026-01-01T00:00:00.000Z')],
    ['a Map from a list', typed([[1, 2]], 'Map'), of([[1, 2]])],
    ['a Set from a list', typed([1], 'Set'), of([1])],
    ['a bigint from its digits', typed('5', 'bigint'), of('5')],
    ['a bigint from a number', typed('5', 'bigint'), of(5)],
    ['NaN from its name', typed('NaN', 'number'), of('NaN')],
    ['bytes from base64', typed('aGk=', 'Buffer'), of('aGk=')],
    ['a Buffer from a Uint8Array', typed('aGk=', 'Buffer'), typed('aGk=', 'Uint8Array')],
    ['a URL from its text', typed('https://a.b/', 'URL'), of('https://a.b/')],
    ['undefined from null', typed(null, 'undefined'), of(null)],
    ['a boxed text from a text', typed('a', { type: 'boxed' }), of('a')],
    ['an object without a prototype', typed({ a: 1 }, 'null-prototype'), of({ a: 1 })],
    ['an instance from plain data', typed({ a: 1 }, { type: 'class', class: 'A' }), of({ a: 1 })],
    [
      'instances of two classes',
      typed({ a: 1 }, { type: 'class', class: 'A' }),
      typed({ a: 1 }, { type: 'class', class: 'B' }),
    ],
    ['5n, "5" and 5 as keys of Maps', typed([['5', 1]], 'Map'), typed([[5, 1]], 'Map')],
    [
      'one value of a Map',
      typed(
        [
          [1, 2],
          [3, 4],
        ],
        'Map',
      ),
      typed(
        [
          [1, 2],
          [3, 5],
        ],
        'Map',
      ),
    ],
    ['URLSearchParams from a URL', typed('a=1', 'URLSearchParams'), typed('a=1', 'URL')],
    [
      'the toJSON of a class named URL from a URL',
      typed('https://a.b/', { type: 'toJSON', class: 'URL' }),
      typed('https://a.b/', 'URL'),
    ],
    ['values of two codecs', typed(1, { type: 'codec', name: 'A' }), typed(1, { type: 'codec', name: 'B' })],
    ['a longer list', of([1, 2]), of([1])],
    ['an item of a list', of([1, 2]), of([1, 3])],
    ['a list from an object with its items', of(['x']), of({ 0: 'x', length: 1 })],
    ['an empty object from a number', of({}), of(5)],
    ['a list with one more undefined', of([1, null], { types: { '/1': 'undefined' } }), of([1])],
    [
      'an error with another cause',
      typed({ name: 'E', message: 'm', cause: 'a' }, { type: 'Error', class: 'E' }),
      typed({ name: 'E', message: 'm', cause: 'b' }, { type: 'Error', class: 'E' }),
    ],
    [
      'errors of two classes of one name',
      error({}),
      of({ name: 'E', message: 'm' }, { types: { '': { type: 'Error', class: 'F' } } }),
    ],
    ['another property of an error', error({ status: 400 }), error({ status: 500 })],
    ['an error with one property more', error({ status: 400 }), error({})],
    ['request data of a failed call', error({ request: { id: 1 } }), error({ request: { id: 2 } })],
    ['a config property that is not of a request', error({ config: 1 }), error({ config: 2 })],
    ['a part of a property of an error', error({ issues: [{ at: 1 }] }), error({ issues: [{ at: 2 }] })],
    ['null from an absent value', of(null), {}],
    ['an own key from an inherited one', of({ toString: 1 }), of({ a: 1 })],
  ])('returns `different` for %s', (_, left, right) => {
    expect(compare(left, right)).toBe('different');
  });

  it('follows references, also in cycles', () => {
    const circle = of({ a: 1, self: '[Circular]' }, { types: { '/self': { type: 'ref', to: '1' } } });
    expect(compare(circle, circle)).toBe('equal');
    const other = of({ a: 2, self: '[Circular]' }, { types: { '/self': { type: 'ref', to: '1' } } });
    expect(compare(circle, other)).toBe('different');
    const shared = of([{ a: 1 }, '[Shared]'], { types: { '/1': { type: 'ref', to: '1/0' } } });
    expect(compare(shared, of([{ a: 1 }, { a: 1 }]))).toBe('equal');
    expect(compare(shared, of([{ a: 1 }, '[Shared]']))).toBe('different');
  });

  it('takes linear time for objects that share many others', () => {
    const types: NonNullable<FieldMeta['types']> = {};
    const json = Array.from({ length: 60 }, (_, i) => {
      if (i === 0) return [1];
      types[`/${i}/0`] = types[`/${i}/1`] = { type: 'ref', to: `2/${i - 1}` };
      return ['[Shared]', '[Shared]'];
    });
    expect(compare(of(json, { types }), of(json, { types }))).toBe('equal');
  });

  it('matches entries of large Maps with objects as keys', () => {
    const entries = Array.from({ length: 20_000 }, (_, id) => [{ id }, { id }]);
    expect(compare(typed(entries, 'Map'), typed([...entries].reverse(), 'Map'))).toBe('equal');
  });
});

describe('a cut value', () => {
  const text = 'x'.repeat(500);
  const cut = (whole: string, hash = true): RecordedValue =>
    of(`${whole.slice(0, 128)}…`, {
      truncated: { '': { bytes: whole.length, kept: 128, ...(hash && { sha256: sha256(whole) }) } },
    });

  it.each([
    ['equal', 'the same hash', cut(text), cut(text)],
    ['different', 'another end', cut(text), cut(`${text.slice(1)}y`)],
    ['different', 'another length', cut(text, false), cut(`${text}y`, false)],
    ['different', 'another head', cut(text, false), cut(`y${text.slice(1)}`, false)],
    ['unknown', 'no hash', cut(text, false), cut(text, false)],
    ['unknown', 'one hash', cut(text), cut(text, false)],
    ['different', 'a whole value equal to its head', cut(text), of(`${text.slice(0, 128)}…`)],
  ])('is %s with %s', (equality, _, left, right) => {
    expect(compare(left, right, { sha256 })).toBe(equality);
  });

  it('is compared with a whole value only with a hash function', () => {
    expect(compare(cut(text), of(text), { sha256 })).toBe('equal');
    expect(compare(cut(text), of(text))).toBe('unknown');
    expect(compare(cut(text), of(`${text.slice(1)}y`), { sha256 })).toBe('different');
  });

  const head = (kept: string, note: JsonObject, type = 'Buffer'): RecordedValue =>
    of(kept, { types: { '': { type: 'head', of: type } }, truncated: { '': note } });
  const wholly = (value: string, note: JsonObject): RecordedValue => of(value, { truncated: { '': note } });
  const x = 'x'.repeat(10);

  it.each<[string, string, RecordedValue, RecordedValue]>([
    ['different', 'a text, and a bigint', cut(text), typed('5', 'bigint')],
    [
      'different',
      'another character at the end of the head',
      cut(text, false),
      cut(`${'x'.repeat(120)}y${'x'.repeat(379)}`, false),
    ],
    [
      'equal',
      'heads of two lengths and one hash',
      wholly('approve…', { bytes: 40, sha256: 'a' }),
      wholly('appr…', { bytes: 40, sha256: 'a' }),
    ],
    ['unknown', 'a whole value of the same size', wholly(`${x}…`, { bytes: 40 }), of(x.repeat(4))],
    ['different', 'a smaller whole value', wholly(`${x}…`, { bytes: 40 }), of(x.repeat(3))],
    ['unknown', 'a whole value of as many bytes', wholly(`${x}…`, { bytes: 40 }), of(x + 'é'.repeat(15))],
    [
      'different',
      'a whole value of as many characters and more bytes',
      wholly(`${x}…`, { bytes: 40 }),
      of(x + 'é'.repeat(30)),
    ],
    [
      'unknown',
      'a whole value of as many characters',
      wholly(`${x}…`, { characters: 40 }),
      of(x + 'é'.repeat(30)),
    ],
    [
      'different',
      'a whole value of fewer characters',
      wholly(`${x}…`, { characters: 40 }),
      of(x + 'é'.repeat(15)),
    ],
    ['unknown', 'no size', wholly(`${x}…`, {}), of(x.repeat(3))],
    ['different', 'no ellipsis and another last character', wholly('abc', {}), of('abdef')],
    ['different', 'bytes with another head', head('aGlo', { bytes: 9 }), head('aGlp', { bytes: 9 })],
    ['different', 'bytes of another size', head('aGlo', { bytes: 9 }), head('aGlo', { bytes: 8 })],
    ['unknown', 'bytes of the same size', head('aGlo', { bytes: 9 }), head('aGlo', { bytes: 9 })],
    [
      'different',
      'whole bytes shorter than the head',
      head('aGloaGlo', { bytes: 9 }),
      typed('aGlo', 'Buffer'),
    ],
    [
      'different',
      'bytes and an instance of a class named Buffer',
      head('aGlo', { bytes: 9 }),
      typed({ a: 1 }, { type: 'class', class: 'Buffer' }),
    ],
    [
      'unknown',
      'URLs without a hash',
      of('https://a.b…', { types: { '': 'URL' }, truncated: { '': { bytes: 40 } } }),
      of('https://a.b…', { types: { '': 'URL' }, truncated: { '': { bytes: 40 } } }),
    ],
    [
      'unknown',
      'boxed texts without a hash',
      of('a…', { types: { '': { type: 'boxed' } }, truncated: { '': { bytes: 40 } } }),
      of('a…', { types: { '': { type: 'boxed' } }, truncated: { '': { bytes: 40 } } }),
    ],
    [
      'equal',
      'one hash, despite a masked item',
      of(['***', 2], { redacted: ['/0'], truncated: { '': { items: 4, kept: 2, sha256: 'a' } } }),
      of(['***', 2], { redacted: ['/0'], truncated: { '': { items: 4, kept: 2, sha256: 'a' } } }),
    ],
  ])('is %s with %s', (equality, _, left, right) => {
    expect(compare(left, right, { sha256 })).toBe(equality);
  });

  const list = (kept: number, last: number, hash = true): RecordedValue => {
    const whole = [1, { b: 1, a: 2 }, 3, last];
    const canonical = `[1,{"a":2,"b":1},3,${last}]`;
    return of(whole.slice(0, kept), {
      truncated: { '': { items: 4, kept, ...(hash && { sha256: sha256(canonical) }) } },
    });
  };
  it.each([
    ['equal', list(2, 4), list(3, 4)],
    ['different', list(2, 4), list(2, 5)],
    ['unknown', list(2, 4, false), list(2, 5, false)],
    ['equal', list(2, 4), of([1, { a: 2, b: 1 }, 3, 4])],
    ['different', list(2, 4), of([1, { a: 2, b: 1 }, 3, 5])],
    ['different', list(2, 4, false), of([1, { a: 2, b: 9 }, 3, 4])],
    ['different', list(2, 4, false), of([1, { a: 2, b: 1 }])],
    ['unknown', list(2, 4, false), of([1, { a: 2, b: 1 }, 3, 4])],
  ])('is %s in lists %#', (equality, left, right) => {
    expect(compare(left, right, { sha256 })).toBe(equality);
  });

  const deep = (note: object): RecordedValue =>
    of({ a: '[Object]' }, { truncated: { '/a': { depth: 2, ...note } } });
  it.each([
    ['unknown', deep({}), deep({})],
    ['equal', deep({ sha256: 'a' }), deep({ sha256: 'a' })],
    ['different', deep({ sha256: 'a' }), deep({ sha256: 'b' })],
    ['different', deep({}), of({ a: '[Object]' })],
    ['different', deep({}), of({ a: [1] })],
    ['unknown', deep({}), of({ a: { b: 1 } })],
    ['equal', deep({ sha256: sha256('{"b":1}') }), of({ a: { b: 1 } })],
    ['equal', deep({ sha256: sha256('Buffer("aGk=")') }), of({ a: 'aGk=' }, { types: { '/a': 'Buffer' } })],
    [
      'unknown',
      deep({ sha256: 'a' }),
      of(
        { a: 'aGk=' },
        {
          types: { '/a': { type: 'head', of: 'Buffer' } },
          truncated: { '/a': { bytes: 9, kept: 2, sha256: 'a' } },
        },
      ),
    ],
    [
      'equal',
      of(['[Array]'], { truncated: { '/0': { depth: 2, sha256: 'a' } } }),
      of(['[Array]'], { truncated: { '/0': { depth: 2, sha256: 'a' } } }),
    ],
  ])('is %s below the depth limit %#', (equality, left, right) => {
    expect(compare(left, right, { sha256 })).toBe(equality);
  });
});

describe('an unknown part', () => {
  const masked = (json: JsonValue, ...redacted: string[]): RecordedValue => of(json, { redacted });
  const a = token('aaaaaaaaaaaa');
  const b = token('bbbbbbbbbbbb');

  it.each([
    ['equal', masked({ p: a }, '/p'), masked({ p: a }, '/p')],
    ['unknown', masked({ p: a }, '/p'), masked({ p: b }, '/p')],
    ['equal', masked(`Bearer ${a} x`, ''), masked(`Bearer ${a} x`, '')],
    ['unknown', masked('***', ''), masked('***', '')],
    ['unknown', masked('[redacted]', ''), masked('[redacted]', '')],
    ['unknown', masked({ p: a }, '/p'), of({ p: a })],
    ['different', masked({ p: a, q: 1 }, '/p'), masked({ p: b, q: 2 }, '/p')],
    ['unknown', masked({ [a]: 1, q: 1 }, ''), masked({ [a]: 1, q: 1 }, '')],
    ['different', masked({ [a]: 1, q: 1 }, ''), masked({ [b]: 1, q: 2 }, '')],
    ['unknown', masked({ [a]: 1, q: 1 }, ''), masked({ [a]: 2, q: 1 }, '')],
    ['unknown', masked({ q: 1 }, ''), masked({ q: 2 }, '')],
    ['unknown', masked([1], ''), masked([1], '')],
    [
      'unknown',
      masked({ [a]: 1, q: 1 }, ''),
      of({ [a]: 1, q: 2 }, { redacted: [''], types: { '': { type: 'class', class: 'A' } } }),
    ],
  ])('is %s if masked %#', (equality, left, right) => {
    expect(compare(left, right)).toBe(equality);
  });

  it('is different for two tokens under one salt', () => {
    expect(compare(masked({ p: a }, '/p'), masked({ p: b }, '/p'), { sameSalt: true })).toBe('different');
    expect(compare(masked([a], ''), masked(a, ''), { sameSalt: true })).toBe('unknown');
  });

  it('is compared by the hash of the original if both were cut', () => {
    const cut = (json: JsonValue, hash: string): RecordedValue =>
      of(json, { redacted: [''], truncated: { '': { bytes: 90, sha256: hash } } });
    expect(compare(cut(`${a}…`, 'a'), cut(`${b}…`, 'a'), { sha256 })).toBe('equal');
    expect(compare(cut(`${a}…`, 'a'), cut(`${a}…`, 'b'), { sha256 })).toBe('different');
    expect(compare(cut(`${a}…`, 'a'), masked(`${a}${'x'.repeat(66)}`, ''), { sha256 })).toBe('unknown');
    expect(compare(cut(`${a}…`, 'a'), cut([a], 'a'), { sha256 })).toBe('unknown');
  });

  const opaque = (name: string): RecordedValue => typed(`[${name}]`, { type: 'opaque', class: name });
  it.each<[string, string, RecordedValue, RecordedValue]>([
    ['unknown', 'functions', opaque('Function'), opaque('Function')],
    ['different', 'a promise and a function', opaque('Promise'), opaque('Function')],
    ['different', 'a function and a text', opaque('Function'), of('[Function]')],
    ['unknown', 'an unreadable value', opaque('Unreadable'), of(1)],
    [
      'unknown',
      'a getter and no property',
      of({ a: '[Getter]' }, { types: { '/a': { type: 'opaque', class: 'Getter' } } }),
      of({}),
    ],
    ['unknown', 'a note of a later version', typed('1', 'Decimal128'), typed('1', 'Decimal128')],
    ['unknown', 'a note that does not match its JSON', typed({}, 'Map'), typed({}, 'Map')],
    ['unknown', 'an unrecorded output', { meta: { replayable: false } }, of(1)],
    [
      'unknown',
      'one class, by its codec and by its data',
      typed(1, { type: 'codec', name: 'A' }),
      typed({}, { type: 'class', class: 'A' }),
    ],
    [
      'unknown',
      'one class, by its toJSON and by its data',
      typed({ a: 1 }, { type: 'toJSON', class: 'A' }),
      typed({ a: 1 }, { type: 'class', class: 'A' }),
    ],
    [
      'different',
      'functions next to a difference',
      of(['[Function]', 1], { types: { '/0': { type: 'opaque', class: 'Function' } } }),
      of(['[Function]', 2], { types: { '/0': { type: 'opaque', class: 'Function' } } }),
    ],
    [
      'unknown',
      'keys of a Map',
      typed([['[Function]', 1]], 'Map'),
      of([['[Function]', 1]], { types: { '': 'Map', '/0/0': { type: 'opaque', class: 'Function' } } }),
    ],
  ])('is %s for %s', (equality, _, left, right) => {
    expect(compare(left, right)).toBe(equality);
  });
});

describe('records of version 0.1', () => {
  const sampled = (hash: string): RecordedValue =>
    of(
      { report: 'approve…' },
      { truncated: { '/report': { bytes: 1_100_000, kept: 7, sampled_sha256: hash } } },
    );

  it('are unknown for equal samples', () => {
    expect(compare(sampled('a'), sampled('a'), { sha256 })).toBe('unknown');
    expect(compare(sampled('a'), sampled('b'), { sha256 })).toBe('different');
  });

  it('are unknown if only one side was sampled', () => {
    const old = (note: object): RecordedValue => of('appro…', { truncated: { '': { bytes: 9, ...note } } });
    expect(compare(old({ sampled_sha256: 'a' }), old({}), { sha256 })).toBe('unknown');
    expect(compare(old({ sampled_sha256: 'a' }), of('approve!!'), { sha256 })).toBe('unknown');
  });

  it('compare by a hash of the whole value', () => {
    const bytes = Buffer.alloc(80_000, 7);
    const old = of(bytes.toString('base64', 0, 48), {
      types: { '': { type: 'head', of: 'Buffer' } },
      truncated: { '': { bytes: bytes.length, kept: 48, sha256: sha256(bytes) } },
    });
    expect(compare(old, old, { sha256 })).toBe('equal');
    expect(compare(old, typed(bytes.toString('base64'), 'Buffer'), { sha256 })).toBe('equal');
    bytes[70_000] = 1;
    expect(compare(old, typed(bytes.toString('base64'), 'Buffer'), { sha256 })).toBe('different');
  });

  it('are unknown below the depth limit', () => {
    const old = of({ a: '[Object]' }, { truncated: { '/a': { depth: 1 } } });
    expect(compare(old, old, { sha256 })).toBe('unknown');
  });
});
