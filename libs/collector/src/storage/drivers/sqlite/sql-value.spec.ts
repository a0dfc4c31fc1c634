import { toSqlValue } from './sql-value.js';

describe('toSqlValue', () => {
  it('passes on what the driver takes', () => {
    const bytes = new Uint8Array([1]);
    expect(['text', 1.5, null, bytes].map(toSqlValue)).toEqual(['text', 1.5, null, bytes]);
  });

  it('keeps from the driver what it aborts on or cuts', () => {
    expect([true, false, undefined, 'a\0b'].map(toSqlValue)).toEqual([1, 0, null, 'a\uFFFDb']);
  });
});
