import { readCut, readTypeNote } from '@dacapo/protocol';
import { cutText, typeText } from './note-text.js';

describe('a capture note', () => {
  it.each([
    [{ bytes: 3_000_000, kept: 128, sha256: 'ab' }, 'first 128 of 2.9 MB'],
    [{ bytes: 3_000_000, kept: 128, sampled_sha256: 'ab' }, 'first 128 of 2.9 MB'],
    [{ items: 4_000, kept: 1_500 }, 'first 1,500 of 4,000 items'],
    [{ properties: 40, kept: 7 }, 'first 7 of 40 properties'],
    [{ characters: 5_000_000, kept: 128 }, 'first 128 of 5,000,000 characters'],
    [{ depth: 100 }, 'deeper than 100 levels'],
    [{ kept: 'all' }, ''],
  ])('for the cut %j reads: %s', (note, text) => {
    expect(cutText(readCut(note))).toBe(text);
  });

  it.each([
    [{ type: 'class', class: 'Order' }, 'class Order'],
    [{ type: 'class', class: 'Order', methods: true }, 'class Order with methods'],
    [{ type: 'ref', to: '1/0' }, 'the same as at 1/0'],
    [{ type: 'undefined', count: 40 }, '40 × undefined'],
    ['bigint', 'bigint'],
  ])('for the type %j reads: %s', (note, text) => {
    expect(typeText(readTypeNote(note))).toBe(text);
  });

  it.each([{ type: 'later', own: ['x'] }, 7, { kept: 'all' }])(
    'of an unknown shape stays raw: %j',
    (note) => {
      expect(typeText(readTypeNote(note))).toBe(JSON.stringify(note));
    },
  );

  it('is cut when it is long', () => {
    expect(typeText(readTypeNote('n'.repeat(300)))).toBe(`${'n'.repeat(200)}…`);
  });
});
