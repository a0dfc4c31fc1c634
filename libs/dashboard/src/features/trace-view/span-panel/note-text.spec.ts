import { noteText } from './note-text.js';

describe('a note of the tracer', () => {
  it.each([
    [{ bytes: 3_000_000, kept: 128, sampled_sha256: 'ab' }, 'first 128 of 2.9 MB'],
    [{ items: 4_000, kept: 1_500 }, 'first 1,500 of 4,000 items'],
    [{ properties: 40, kept: 7 }, 'first 7 of 40 properties'],
    [{ characters: 5_000_000, kept: 128 }, 'first 128 of 5,000,000 characters'],
    [{ type: 'class', class: 'Order' }, 'class Order'],
    [{ type: 'class', class: 'Order', methods: true }, 'class Order with methods'],
    ['bigint', 'bigint'],
  ])('%j reads: %s', (note, text) => {
    expect(noteText(note)).toBe(text);
  });

  it.each([{ kept: 'all' }, { type: 'ref', to: '#/0' }, { type: 'class', class: 'Order', own: ['x'] }, 7])(
    'of another shape stays as it came: %j',
    (note) => {
      expect(noteText(note)).toBe(JSON.stringify(note));
    },
  );

  it('is cut when it is long', () => {
    expect(noteText('n'.repeat(300))).toBe(`${'n'.repeat(200)}…`);
  });
});
