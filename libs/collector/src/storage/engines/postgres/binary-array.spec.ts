import { encodeArray } from './binary-array.js';

const HEAD = (nulls: number, type: number, count: number): string =>
  [1, nulls, type, count, 1].map((number) => number.toString(16).padStart(8, '0')).join('');
const encode = (...[type, values]: Parameters<typeof encodeArray>): string =>
  encodeArray(type, values).toString('hex');

describe('an array in the binary format of PostgreSQL', () => {
  it('has texts with their length in bytes', () => {
    expect(encode('text', ['a', 'é', ''])).toBe(`${HEAD(0, 25, 3)}000000016100000002c3a900000000`);
  });

  it('has whole numbers with a sign in 8 bytes', () => {
    const values = ['0000000000000001', 'ffffffffffffffff', '0000010000000000', 'ffe0000000000001'];
    expect(encode('bigint', [1, -1, 2 ** 40, -Number.MAX_SAFE_INTEGER])).toBe(
      HEAD(0, 20, 4) + values.map((value) => `00000008${value}`).join(''),
    );
  });

  it('has other numbers as doubles', () => {
    expect(encode('double precision', [-1.5])).toBe(`${HEAD(0, 701, 1)}00000008bff8000000000000`);
  });

  it('marks missing values, and has booleans as numbers', () => {
    expect(encode('bigint', [undefined, true, null])).toBe(
      `${HEAD(1, 20, 3)}ffffffff000000080000000000000001ffffffff`,
    );
  });

  it('replaces what a text in PostgreSQL cannot contain', () => {
    expect(encode('text', ['\0', '\ud800'])).toBe(`${HEAD(0, 25, 2)}00000003efbfbd00000003efbfbd`);
  });
});
