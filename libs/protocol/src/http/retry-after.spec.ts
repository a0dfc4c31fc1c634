import { parseRetryAfter } from './retry-after.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');

describe('parseRetryAfter', () => {
  it.each([
    ['0', 0],
    ['15', 15_000],
    [' 2 ', 2000],
    ['86400', 86_400_000],
    ['Sun, 01 Mar 2026 12:00:20 GMT', 20_000],
    ['Sunday, 01-Mar-26 12:00:20 GMT', 20_000],
    ['Sun Mar  1 12:00:20 2026 GMT', 20_000],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
    ['Mon, 01 Mar 2027 12:00:00 GMT', 365 * 86_400_000],
  ])('returns the wait of %s: %i ms', (header, waitMs) => {
    expect(parseRetryAfter(header, NOW)).toBe(waitMs);
  });

  it.each([
    undefined,
    null,
    '',
    'soon',
    '-5',
    '1.5',
    '0x10',
    '99999999999999',
    '2026-03-01',
    'Sun, 99 Foo 2026 99:99:99 GMT',
  ])('returns undefined for %s', (header) => {
    expect(parseRetryAfter(header, NOW)).toBeUndefined();
  });
});
