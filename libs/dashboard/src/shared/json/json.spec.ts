import { cutText, textChunks } from './cut-text.js';
import { jsonText, orderedJsonText } from './json-text.js';
import { jsonTokens } from './json-tokens.js';

describe('jsonText', () => {
  it('returns a string unchanged and anything else as JSON', () => {
    expect(jsonText('two\nlines')).toBe('two\nlines');
    expect(jsonText({ a: [1] })).toBe('{\n  "a": [\n    1\n  ]\n}');
    expect(jsonText(null)).toBe('null');
    expect(jsonText(undefined)).toBe('');
  });

  it('returns the same text for equal values when keys are sorted', () => {
    expect(orderedJsonText({ b: { d: 1, c: 2 }, a: null })).toBe(
      orderedJsonText({ a: null, b: { c: 2, d: 1 } }),
    );
  });

  it('keeps an own key named __proto__', () => {
    expect(orderedJsonText(JSON.parse('{"__proto__": 1}'))).toContain('"__proto__": 1');
  });
});

describe('jsonTokens', () => {
  it('distinguishes keys, strings, numbers and literals', () => {
    const kinds = Object.fromEntries(
      jsonTokens('{"k": ["v", -1.5e3, null]}').map(({ kind, text }) => [text, kind]),
    );
    expect(kinds).toMatchObject({ '"k"': 'key', '"v"': 'string', '-1.5e3': 'number', null: 'literal' });
  });

  it.each(['{"a": "b \\" c", "d": tru', '"cut off in the mid', '', 'no JSON at all: 12 <b>'])(
    'loses nothing of %p',
    (text) => {
      const joined = jsonTokens(text).map((token) => token.text);
      expect(joined.join('')).toBe(text);
    },
  );
});

describe('cutText', () => {
  it('cuts at a line end when one is near', () => {
    expect(cutText('aaaa\nbbbb\ncccc', 12)).toBe('aaaa\nbbbb');
  });

  it('never splits a character', () => {
    expect(cutText('abc😀def', 4)).toBe('abc');
  });

  it('returns a short text unchanged', () => {
    expect(cutText('abc', 3)).toBe('abc');
  });

  it('cuts after the maximum number of lines', () => {
    expect(cutText('a\nb\nc\nd', 100, 2)).toBe('a\nb');
    expect(cutText('a\nb', 100, 2)).toBe('a\nb');
  });
});

describe('textChunks', () => {
  it.each([
    ['lines', 'one\ntwo\nthree\nfour', ['one\ntwo\n', 'three\n', 'four']],
    ['one long line', 'x'.repeat(20), ['x'.repeat(8), 'x'.repeat(8), 'x'.repeat(4)]],
    ['pairs', '1234567😀', ['1234567', '😀']],
    ['nothing', '', []],
  ])('loses nothing of %s', (_, text, chunks) => {
    expect(textChunks(text, 8)).toEqual(chunks);
    expect(textChunks(text, 8).join('')).toBe(text);
  });
});
