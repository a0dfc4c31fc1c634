import { isDeeperThan } from './json-depth.js';
import { splitLines } from './ndjson.js';

describe('splitLines', () => {
  it('counts from one, over blank lines', () => {
    expect([...splitLines('a\n\nb\r\nc')]).toEqual([
      { number: 1, text: 'a' },
      { number: 3, text: 'b' },
      { number: 4, text: 'c' },
    ]);
  });

  it('finds nothing in an empty body', () => {
    expect([...splitLines('')]).toEqual([]);
    expect([...splitLines('\n \n')]).toEqual([]);
  });
});

describe('isDeeperThan', () => {
  it('counts arrays and objects alike', () => {
    expect(isDeeperThan('[{"a":[1]}]', 3)).toBe(false);
    expect(isDeeperThan('[{"a":[1]}]', 2)).toBe(true);
  });

  it('does not count brackets in strings', () => {
    expect(isDeeperThan('["[[[[\\"[["]', 1)).toBe(false);
    expect(isDeeperThan(JSON.stringify(['[[\\', '[[\\"[[', '']), 1)).toBe(false);
    expect(isDeeperThan(JSON.stringify(['\\', [1]]), 1)).toBe(true);
    expect(isDeeperThan('["[[ unended', 1)).toBe(false);
  });

  it('survives a million brackets', () => {
    expect(isDeeperThan('['.repeat(1_000_000), 512)).toBe(true);
  });
});
