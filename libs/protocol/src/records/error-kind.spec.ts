import { errorKind } from './error-kind.js';

describe('errorKind', () => {
  it.each([
    ['TimeoutError: Request timed out after 20000 ms', 'TimeoutError'],
    ['openai.RateLimitError: 429', 'openai.RateLimitError'],
    ['TimeoutError', 'TimeoutError'],
    ['Error: no row 17 in "orders"', 'Error: no row … in …'],
    ['Error: no row 18 in "parcels"', 'Error: no row … in …'],
    ['Error: lock 3f2a9c1e-77aa-4b1d-9c55-aa0011223344 is held', 'Error: lock … is held'],
    ['it broke: badly', 'Error: it broke: badly'],
    ['', 'Error: '],
  ])('of %j is %j', (preview, kind) => {
    expect(errorKind(preview)).toBe(kind);
  });
});
