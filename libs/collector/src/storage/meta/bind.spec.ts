import { bindNames, toSqlValue } from './bind.js';

describe('toSqlValue', () => {
  it('passes on supported values', () => {
    const bytes = new Uint8Array([1]);
    expect(['text', 1.5, null, bytes].map(toSqlValue)).toEqual(['text', 1.5, null, bytes]);
  });

  it('rejects values that the driver would abort on or cut', () => {
    expect([true, false, undefined, 'a\0b'].map(toSqlValue)).toEqual([1, 0, null, 'a\uFFFDb']);
  });
});

describe('bindNames', () => {
  it('picks the values that the statement names', () => {
    expect(bindNames('SELECT :a, :b, :a', { a: true, b: undefined, c: 1 })).toEqual({ a: 1, b: null });
  });

  it('throws for a missing value, which SQLite would read as NULL', () => {
    expect(() => bindNames('SELECT :name', { nam: 'x' })).toThrow('No value for :name');
  });
});
