import { canonical } from './canonical.js';
import { readValue } from './read-value.js';

const formText = (...[json, meta]: [Parameters<typeof readValue>[0]['json'], object?]): string | undefined =>
  canonical(readValue({ json, meta }))?.text;

describe('the canonical form', () => {
  it('is JSON with sorted keys for plain JSON', () => {
    expect(formText({ b: [1, 'x', null], a: { d: true, c: -0 } })).toBe(
      '{"a":{"c":0,"d":true},"b":[1,"x",null]}',
    );
  });

  it.each<[string, Parameters<typeof readValue>[0]['json'], object]>([
    ['5n', '5', { '': 'bigint' }],
    ['NaN', 'NaN', { '': 'number' }],
    ['Date("1970-01-01T00:00:00.000Z")', '1970-01-01T00:00:00.000Z', { '': 'Date' }],
    [
      'Map([["a",1],["b",2]])',
      [
        ['b', 2],
        ['a', 1],
      ],
      { '': 'Map' },
    ],
    ['Set(["a","b"])', ['b', 'a'], { '': 'Set' }],
    ['[undefined*3,1]', [null, null, 1], { '/0': { type: 'undefined', count: 2 }, '/1': 'hole' }],
    ['Class("Order",{"id":1})', { id: 1 }, { '': { type: 'class', class: 'Order' }, '/x': 'undefined' }],
    ['Buffer("aGk=")', 'aGk=', { '': 'Buffer' }],
    ['URL("https://a.b/")', 'https://a.b/', { '': 'URL' }],
    ['Symbol("iterator")', 'Symbol(Symbol.iterator)', { '': { type: 'symbol', wellKnown: 'iterator' } }],
  ])('is %s', (text, json, types) => {
    expect(formText(json, { types })).toBe(text);
  });

  it('lists its gaps', () => {
    const listGaps = (meta: object): unknown => [
      ...(canonical(readValue({ json: ['x'], meta }))?.gaps ?? []),
    ];
    expect(listGaps({})).toEqual([]);
    expect(listGaps({ truncated: { '/0': { bytes: 9, kept: 1 } } })).toEqual(['cut']);
    expect(listGaps({ truncated: { '/0': { bytes: 9, kept: 1, sha256: 'a' } } })).toEqual(['hashed']);
    expect(listGaps({ redacted: ['/0'] })).toEqual(['masked']);
    expect(listGaps({ types: { '/0': { type: 'opaque', class: 'Function' } } })).toEqual(['opaque']);
    expect(listGaps({ types: { '/0': { type: 'of a later version' } } })).toEqual(['opaque']);
    expect(listGaps({ types: { '/0': { type: 'ref', to: '1' } } })).toEqual(['cycle']);
  });

  it('is undefined above the length limit', () => {
    expect(canonical(readValue({ json: ['x'.repeat(100)] }), 50)).toBeUndefined();
  });
});
