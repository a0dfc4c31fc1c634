import { countOpenings, hasMoreMembers, isDeeperThan } from './json-bounds.js';
import { splitLines } from './ndjson.js';

describe('splitLines', () => {
  it('numbers lines from 1 and counts blank lines', () => {
    expect([...splitLines('a\n\nb\r\nc')]).toEqual([
      { number: 1, text: 'a' },
      { number: 3, text: 'b' },
      { number: 4, text: 'c' },
    ]);
  });

  it('returns no lines for an empty body', () => {
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

  it('handles a million brackets', () => {
    expect(isDeeperThan('['.repeat(1_000_000), 512)).toBe(true);
  });
});

describe('hasMoreMembers', () => {
  it('counts members of all objects, but not colons in strings', () => {
    const json = JSON.stringify([{ a: 1, b: { c: ':::::', 'd"': '":":"' } }, ':']);
    expect(hasMoreMembers(json, 4)).toBe(false);
    expect(hasMoreMembers(json, 3)).toBe(true);
  });

  it('accepts invalid JSON', () => {
    expect(hasMoreMembers(':'.repeat(100), 3)).toBe(true);
    expect(hasMoreMembers(`"${':'.repeat(100)}`, 3)).toBe(false);
  });
});

describe('countOpenings', () => {
  it('counts arrays and objects', () => {
    expect(countOpenings('[{"a":[]},{}]')).toBe(4);
    expect(countOpenings('1')).toBe(0);
  });
});
