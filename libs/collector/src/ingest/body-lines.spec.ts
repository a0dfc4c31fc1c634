import { splitLines } from '@dacapo/protocol';
import fc from 'fast-check';
import { linesOf } from './body-lines.js';

const read = (chunks: Buffer[]): { number: number; text: string }[] =>
  Array.from(linesOf(chunks), (line) => ({ number: line.number, text: line.text() })).filter(
    ({ text }) => text !== '',
  );

describe('the lines of a body', () => {
  it('are those of its text, wherever its chunks begin and end', () => {
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

  it('tell how many bytes they have before they become text', () => {
    const chunks = ['€', '€\r', '\nb'].map((text) => Buffer.from(text));
    expect(Array.from(linesOf(chunks), ({ byteLength }) => byteLength)).toEqual([7, 1]);
  });

  it('have U+FFFD for what is no UTF-8, and harm no other line by it', () => {
    expect(read([Buffer.from([0x61, 0xff, 0x0a, 0xe2]), Buffer.from([0x82, 0xac, 0x0a, 0x62])])).toEqual([
      { number: 1, text: 'a\ufffd' },
      { number: 2, text: '€' },
      { number: 3, text: 'b' },
    ]);
  });
});
