import { preferredEncoding } from './accepted-encoding.js';

it.each([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['br, gzip, deflate, zstd', 'br'],
  ['gzip, br', 'br'],
  ['gzip', 'gzip'],
  ['GZip ; Q=0.5', 'gzip'],
  ['gzip;q=1, br;q=0.9', 'gzip'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['gzip;q=0.5, identity', undefined],
  ['gzip;q=0.5, identity;q=0.5', 'gzip'],
  ['br;q=0, gzip;q=0.000', undefined],
  ['br;q=nonsense', undefined],
  ['brotli, x-gzip', undefined],
])('of Accept-Encoding %s prefers %s', (accepted, expected) => {
  expect(preferredEncoding(accepted)).toBe(expected);
});

it('prefers only available encodings', () => {
  expect(preferredEncoding('br, gzip', ['gzip'])).toBe('gzip');
  expect(preferredEncoding('br', [])).toBeUndefined();
});
