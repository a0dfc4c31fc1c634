import { keyHint, isWellFormedApiKey, newApiKey } from './api-key.js';
import { randomBase62, toBase62 } from './secrets.js';

describe('newApiKey', () => {
  it('returns the prefix, 28 random characters and a checksum', () => {
    expect(newApiKey()).toMatch(/^dcp_[0-9A-Za-z]{34}$/);
    expect(28 * Math.log2(62)).toBeGreaterThan(160);
  });

  it('returns another key each time', () => {
    expect(new Set(Array.from({ length: 1000 }, newApiKey)).size).toBe(1000);
  });
});

describe('isWellFormedApiKey', () => {
  it('accepts every new key', () => {
    for (let round = 0; round < 200; round++) expect(isWellFormedApiKey(newApiKey())).toBe(true);
  });

  it('rejects a key with any one character changed', () => {
    const key = newApiKey();
    for (let at = 0; at < key.length; at++) {
      const changed = key[at] === 'x' ? 'y' : 'x';
      expect(isWellFormedApiKey(key.slice(0, at) + changed + key.slice(at + 1))).toBe(false);
    }
  });

  it.each(['', 'dcp_', 'dcp_short', `${newApiKey()} `, `x${newApiKey()}`, `${newApiKey()}\n`])(
    'rejects %j',
    (text) => {
      expect(isWellFormedApiKey(text)).toBe(false);
    },
  );
});

describe('keyHint', () => {
  it('has the first seven characters and the last four', () => {
    const key = newApiKey();
    expect(keyHint(key)).toBe(`${key.slice(0, 7)}…${key.slice(-4)}`);
  });
});

describe('base62', () => {
  it('uses every character about as often', () => {
    const counts = new Map<string, number>();
    for (const char of randomBase62(62_000)) counts.set(char, (counts.get(char) ?? 0) + 1);
    expect(counts.size).toBe(62);
    expect(Math.min(...counts.values())).toBeGreaterThan(800);
    expect(Math.max(...counts.values())).toBeLessThan(1200);
  });

  it('writes numbers with leading zeros', () => {
    expect(toBase62(0, 6)).toBe('000000');
    expect(toBase62(61, 2)).toBe('0z');
    expect(toBase62(62, 2)).toBe('10');
    expect(toBase62(0xffffffff, 6)).toBe('4gfFC3');
  });
});
