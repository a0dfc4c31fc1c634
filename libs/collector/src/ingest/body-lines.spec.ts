import { splitLines } from '@dacapo/protocol';
import fc from 'fast-check';
import { readLines } from './body-lines.js';

const read = (chunks: Buffer[]): { number: number; text: string }[] =>
  Array.from(readLines(chunks), (line) => ({ number: line.number, text: line.text() })).filter(
    ({ text }) => text !== '',
  );

describe('the lines of a body', () => {
  it('do not depend on where its chunks begin and end', () => {
    const text = fc.array(
      fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\n', '\r\n', ' ', '\ufeff')),
    );
    fc.assert(
      fc.property(text, fc.array(fc.nat(40)), (parts, cuts) => {
        const body = Buffer.from(parts.join(''));
        const ends = [...cuts.map((cut) => Math.min(cut, body.length)).sort((a, b) => a - b), body.length];
        const chunks = ends.map((end, index) => body.subarray(ends[index - 1] ?? 0, end));
        expect(read(chunks)).toEqual([...splitLines(body.toString())]);
      }),
    );
  });

  it('have a length in bytes', () => {
    const chunks = ['€', '€\r', '\nb'].map((text) => Buffer.from(text));
    expect(Array.from(readLines(chunks), ({ byteLength }) => byteLength)).toEqual([7, 1]);
  });

  it('have U+FFFD for bytes that are not UTF-8, which does not affect other lines', () => {
    expect(read([Buffer.from([0x61, 0xff, 0x0a, 0xe2]), Buffer.from([0x82, 0xac, 0x0a, 0x62])])).toEqual([
      { number: 1, text: 'a\ufffd' },
      { number: 2, text: '€' },
      { number: 3, text: 'b' },
    ]);
  });
});
