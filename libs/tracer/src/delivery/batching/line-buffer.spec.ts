import { encodeText } from '../../byte-string.js';
import { LineBuffer, splitLines, readRecordId } from './line-buffer.js';

describe('A line buffer', () => {
  it('stores lines as an NDJSON body in UTF-8', () => {
    const buffer = new LineBuffer(Buffer.alloc(100));
    expect([buffer.write(encodeText('{"a":"é"}')), buffer.write(encodeText('{"b":"日本 🎼"}'))]).toEqual([
      true,
      true,
    ]);
    expect(buffer.view().toString()).toBe('{"a":"é"}\n{"b":"日本 🎼"}\n');
    expect(buffer.lines).toBe(2);
  });

  it('accepts a line that fits to the last byte, and none that is one byte longer', () => {
    const buffer = new LineBuffer(Buffer.alloc(8));
    expect(buffer.write(encodeText('ééé1.'))).toBe(false);
    expect(buffer.length).toBe(0);
    expect(buffer.write(encodeText('ééé1'))).toBe(true);
    expect(buffer.view().toString()).toBe('ééé1\n');
    expect(buffer.write(encodeText(''))).toBe(false);
  });

  it('replaces lone surrogates, which UTF-8 cannot encode', () => {
    const buffer = new LineBuffer(Buffer.alloc(20));
    expect(buffer.write(encodeText('"\ud800"'))).toBe(true);
    expect(buffer.view().toString()).toBe('"\ufffd"\n');
  });
});

describe('The lines of a body', () => {
  it('keep their newlines', () => {
    expect([...splitLines(Buffer.from('a\nbc\n'))].map(String)).toEqual(['a\n', 'bc\n']);
  });

  it('are empty for an empty body, and include a last line without newline', () => {
    expect([...splitLines(Buffer.from(''))]).toEqual([]);
    expect([...splitLines(Buffer.from('a\nb'))].map(String)).toEqual(['a\n', 'b']);
  });
});

describe('The id of a record', () => {
  it.each([
    ['{"span":{"id":"0123456789abcdef","trace_id":"x"}}', '0123456789abcdef'],
    ['{"trace":{"id":"01890a5d-ac96-774b-bcce-b302099a8057"}}', '01890a5d-ac96-774b-bcce-b302099a8057'],
    ['{"span":{"id":"01234567', undefined],
    ['', undefined],
  ])('is read off the start of its line: %s', (line, id) => {
    expect(readRecordId(Buffer.from(line))).toBe(id);
  });
});
