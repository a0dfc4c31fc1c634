import { parseJson } from './parse-json.js';

describe('JSON that a person writes', () => {
  it.each(['{"a":[1,-2.5,1e3,0,0.1]}', '"text"', '"12345678901234567891"', '[0.0]'])('accepts %s', (text) => {
    const value = parseJson(text);
    expect(value).toEqual(JSON.parse(text));
  });

  it.each(['12345678901234567891', '1e999', '-0', '[0.12345678901234567]', '1e-999'])(
    'rejects %s, which would be stored as another number',
    (text) => {
      expect(() => parseJson(text)).toThrow('cannot be stored exactly');
    },
  );

  it('rejects what is not JSON', () => {
    expect(() => parseJson('{a: 1}')).toThrow('Invalid JSON');
  });
});
