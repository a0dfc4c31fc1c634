import { framedLength, frameLines, parseFrames } from './spool-format.js';

const LINES = [
  '{"span":{"id":"0000000000000001"}}',
  '{"span":{"id":"0000000000000002","n":"é\\t"}}',
  '{"a":3}',
];
const BODY = Buffer.from(LINES.map((line) => `${line}\n`).join(''));

function framed(): Buffer {
  const file = Buffer.alloc(framedLength(BODY.length, LINES.length));
  expect(frameLines(BODY, file)).toBe(file.length);
  return file;
}

const wholeLines = (file: Buffer) => parseFrames(file).body.toString().split('\n').slice(0, -1);

describe('A spool file', () => {
  it('is text, a record a line, with length and CRC-32 behind it', () => {
    expect(framed().toString().split('\n')[2]).toMatch(/^\{"a":3\}\t00000007[0-9a-f]{8}$/);
  });

  it('returns the records unchanged', () => {
    const { body, records, damaged } = parseFrames(framed());
    expect({ body: body.toString(), records, damaged }).toEqual({
      body: BODY.toString(),
      records: 3,
      damaged: [],
    });
  });

  it('fault 24: one changed bit costs at most its record, and is counted as one', () => {
    const { length } = framed();
    for (let at = 0; at < length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const file = framed();
        file[at] = file[at]! ^ (1 << bit);
        const { records, damaged } = parseFrames(Buffer.from(file));
        expect({ at, bit, records, damaged: damaged.length }).toEqual({ at, bit, records: 2, damaged: 1 });
        for (const line of wholeLines(file)) expect(LINES).toContain(line);
      }
    }
  });

  it('fault 24: torn at any byte, it returns the complete records before', () => {
    const { length } = framed();
    for (let end = 0; end < length; end++) {
      const { records, damaged } = parseFrames(framed().subarray(0, end));
      expect(records).toBe(framed().subarray(0, end).toString().split('\n').length - 1);
      expect(damaged.length).toBeLessThanOrEqual(1);
    }
  });

  it('finds the records again behind a piece that is missing, doubled or foreign', () => {
    const file = framed();
    const cut = Buffer.concat([file.subarray(0, 10), file.subarray(40)]);
    expect(wholeLines(cut)).toEqual(LINES.slice(1));
    const foreign = Buffer.concat([Buffer.from('\0\0\nnoise\t'), file]);
    expect(wholeLines(foreign)).toEqual(LINES);
  });

  it('is nothing when it is empty', () => {
    expect(parseFrames(Buffer.alloc(0))).toMatchObject({ records: 0, damaged: [] });
  });
});
