import { encodeText } from '../../byte-string.js';
import { LineBuffer, linesOf } from './line-buffer.js';

describe('A line buffer', () => {
  it('holds lines as an NDJSON body in UTF-8', () => {
    const buffer = new LineBuffer(Buffer.alloc(100));
    expect([buffer.write(encodeText('{"a":"é"}')), buffer.write(encodeText('{"b":"日本 🎼"}'))]).toEqual([
      true,
      true,
    ]);
    expect(buffer.view().toString()).toBe('{"a":"é"}\n{"b":"日本 🎼"}\n');
    expect(buffer.lines).toBe(2);
  });

  it('takes a line that fits to the last byte, and none that is one byte too long', () => {
    const buffer = new LineBuffer(Buffer.alloc(8));
    expect(buffer.write(encodeText('ééé1.'))).toBe(false);
    expect(buffer.length).toBe(0);
    expect(buffer.write(encodeText('ééé1'))).toBe(true);
    expect(buffer.view().toString()).toBe('ééé1\n');
    expect(buffer.write(encodeText(''))).toBe(false);
  });

  it('replaces half a surrogate pair, which UTF-8 cannot hold', () => {
    const buffer = new LineBuffer(Buffer.alloc(20));
    expect(buffer.write(encodeText('"\ud800"'))).toBe(true);
    expect(buffer.view().toString()).toBe('"\ufffd"\n');
  });
});

describe('The lines of a body', () => {
  it('keep their newlines', () => {
    expect([...linesOf(Buffer.from('a\nbc\n'))].map(String)).toEqual(['a\n', 'bc\n']);
  });

  it('are none in an empty body, and include a last one without newline', () => {
    expect([...linesOf(Buffer.from(''))]).toEqual([]);
    expect([...linesOf(Buffer.from('a\nb'))].map(String)).toEqual(['a\n', 'b']);
  });
});
