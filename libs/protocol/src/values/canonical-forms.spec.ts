import type { JsonValue } from '../json/json-value.js';
import { canonical } from './canonical.js';
import { readValue } from './read-value.js';

const toForm = (json: JsonValue, meta?: object, limit?: number): string | undefined =>
  canonical(readValue({ json, meta }), limit)?.text;

/** Recordings store hashes of these texts. If a text changes, new values no longer equal recorded ones. */
describe('the canonical form behind stored hashes', () => {
  it.each<[string, JsonValue, object]>([
    ['undefined', null, { types: { '': 'undefined' } }],
    ['0', 0, { types: { '': '-0' } }],
    ['Infinity', 'Infinity', { types: { '': 'number' } }],
    ['RegExp("a\\"b","gi")', '/a"b/gi', { types: { '': 'RegExp' } }],
    ['Symbol.for("a")', 'Symbol(a)', { types: { '': { type: 'symbol', key: 'a' } } }],
    ['AbortSignal(true)', null, { types: { '': { type: 'AbortSignal', aborted: true } } }],
    ['Object("a")', 'a', { types: { '': { type: 'boxed' } } }],
    ['Codec("Money",{"cents":5})', { cents: 5 }, { types: { '': { type: 'codec', name: 'Money' } } }],
    ['Class("Price",toJSON,5)', 5, { types: { '': { type: 'toJSON', class: 'Price' } } }],
    ['Object(true)', true, { types: { '': { type: 'boxed' } } }],
    ['Codec("Nothing",null)', null, { types: { '': { type: 'codec', name: 'Nothing' } } }],
    ['Date(NaN)', null, { types: { '': 'Date' } }],
    ['Opaque("Function","f")', 'f', { types: { '': { type: 'opaque', class: 'Function' } } }],
    ['Unknown({"a":[1,null]})', { a: [1, null] }, { types: { '': { type: 'of a later version' } } }],
    ['Null{"a":1}', { a: 1 }, { types: { '': 'null-prototype' } }],
    ['{"a":5n,"b":true,"c":null}', { c: null, b: true, a: '5' }, { types: { '/a': 'bigint' } }],
    ['{"a":1}', { b: null, a: 1 }, { types: { '/b': 'undefined' } }],
    ['[undefined,1]', [null, 1], { types: { '/0': 'undefined' } }],
    ['[1,undefined*2]', [1, null, null], { types: { '/1': 'undefined', '/2': 'hole' } }],
    [
      'Error("E",{"code":"E1","message":"m","name":"E"})',
      { name: 'E', message: 'm', code: 'E1', requestId: 1 },
      { types: { '': { type: 'Error', class: 'E' } } },
    ],
    ['Map("Prices",[["a",1]])', [['a', 1]], { types: { '': { type: 'Map', class: 'Prices' } } }],
    ['Set("Names",["a"])', ['a'], { types: { '': { type: 'Set', class: 'Names' } } }],
    [
      'Cut(string,"a…",{"unit":"characters","size":9,"kept":1})',
      'a…',
      { truncated: { '': { characters: 9, kept: 1 } } },
    ],
    ['Cut(string,"a…",abc)', 'a…', { truncated: { '': { characters: 9, kept: 1, sha256: 'abc' } } }],
    [
      'Cut(Buffer,"aGk=",{"unit":"bytes","size":9,"kept":2})',
      'aGk=',
      { types: { '': { type: 'head', of: 'Buffer' } }, truncated: { '': { bytes: 9, kept: 2 } } },
    ],
    [
      'Cut(array,[1,{"a":2,"b":3}],{"unit":"items","size":9,"kept":2})',
      [1, { b: 3, a: 2 }],
      { truncated: { '': { items: 9, kept: 2 } } },
    ],
    [
      '[Cut(array,"[Array]",abc),Cut(object,"[Object]",{"unit":"depth","size":2})]',
      ['[Array]', '[Object]'],
      { truncated: { '/0': { depth: 2, sha256: 'abc' }, '/1': { depth: 2 } } },
    ],
    [
      '[["x"],Cut(object,{"a":1},abc)]',
      [['x'], { a: 1 }],
      { truncated: { '/1': { properties: 9, kept: 1, sha256: 'abc' } } },
    ],
  ])('is %s', (text, json, meta) => {
    expect(toForm(json, meta)).toBe(text);
  });

  it('numbers the objects of a cyclic value in order of visit', () => {
    const types = { '/b/up': { type: 'ref', to: '2' }, '/c': { type: 'ref', to: '1/b' } };
    expect(toForm({ a: 1, b: { up: null }, c: null }, { types })).toBe(
      '{"a":1,"b":{"up":Same(0)},"c":Same(1)}',
    );
  });

  it('numbers objects only, not scalar values', () => {
    const types = { '/a': 'Date', '/b/up': { type: 'ref', to: '2' }, '/c': { type: 'ref', to: '1/b' } };
    expect(toForm({ a: null, b: { up: null }, c: null }, { types })).toBe(
      '{"a":Date(NaN),"b":{"up":Same(0)},"c":Same(1)}',
    );
  });

  it('rethrows errors from reading a value', () => {
    const items = (): never => {
      throw new RangeError('too much');
    };
    expect(() => canonical({ kind: 'array', json: [], isPlain: false, cut: undefined, items })).toThrow(
      'too much',
    );
  });

  it('repeats a shared object at each of its places', () => {
    const types = { '/b': { type: 'ref', to: '1/a' } };
    expect(toForm({ a: { n: 1 }, b: null }, { types })).toBe('{"a":{"n":1},"b":{"n":1}}');
  });

  it('is undefined only above the limit', () => {
    expect(toForm('abc', {}, 5)).toBe('"abc"');
    expect(toForm('abc', {}, 4)).toBeUndefined();
  });
});
