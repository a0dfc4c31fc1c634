import { decodeText, encodeJson, encodeText } from './byte-string.js';

describe('A byte string', () => {
  it.each(['', 'plain', 'é', '日本 🎼'])('encodes %j as one character per UTF-8 byte', (text) => {
    const bytes = encodeText(text);
    expect(Buffer.from(bytes, 'latin1')).toEqual(Buffer.from(text));
    expect(decodeText(bytes)).toBe(text);
  });

  it('of ASCII is the text itself', () => {
    expect(encodeText('plain')).toBe('plain');
  });

  it('replaces lone surrogates, which UTF-8 cannot encode', () => {
    expect(decodeText(encodeText('\ud800'))).toBe('\ufffd');
  });

  it('of a value is its JSON', () => {
    expect(decodeText(encodeJson({ name: 'Zoë' }))).toBe('{"name":"Zoë"}');
  });
});
