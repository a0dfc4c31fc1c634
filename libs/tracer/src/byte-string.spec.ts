import { decodeText, encodeJson, encodeText } from './byte-string.js';

describe('A byte string', () => {
  it.each(['', 'plain', 'é', '日本 🎼'])('holds %j as one character for each byte of its UTF-8', (text) => {
    const bytes = encodeText(text);
    expect(Buffer.from(bytes, 'latin1')).toEqual(Buffer.from(text));
    expect(decodeText(bytes)).toBe(text);
  });

  it('of ASCII is the text itself', () => {
    expect(encodeText('plain')).toBe('plain');
  });

  it('replaces half a surrogate pair, which UTF-8 cannot hold', () => {
    expect(decodeText(encodeText('\ud800'))).toBe('\ufffd');
  });

  it('of a value is its JSON', () => {
    expect(decodeText(encodeJson({ name: 'Zoë' }))).toBe('{"name":"Zoë"}');
  });
});
