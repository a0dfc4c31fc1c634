import fc from 'fast-check';
import { shortenBoth } from './shorten.js';

describe('two texts that differ, shortened', () => {
  it('are pieces of both from one place on, with the first difference, at any length', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 400 });
    const start = fc.nat(400).map((length) => 'x'.repeat(length));
    fc.assert(
      fc.property(start, text, text, fc.integer({ min: 1, max: 300 }), (same, a, b, most) => {
        const texts = [same + a, same + b] as const;
        const shown = shortenBoth(...texts, most);
        const pieces = shown.map((piece) => piece.replaceAll('…', ''));
        for (const [at, piece] of pieces.entries()) {
          expect(piece.length).toBeLessThanOrEqual(most);
          expect(texts[at]).toContain(piece);
        }
        if (texts[0] !== texts[1]) expect(shown[0]).not.toBe(shown[1]);
      }),
    );
  });

  it('begin before the difference, not near the end, where little may be shown', () => {
    const same = 'x'.repeat(60);
    const [a, b] = shortenBoth(`${same}a${'y'.repeat(90)}`, `${same}b${'z'.repeat(90)}`, 100);
    expect(a).toBe(`…${'x'.repeat(50)}a${'y'.repeat(49)}…`);
    expect(b).toBe(`…${'x'.repeat(50)}b${'z'.repeat(49)}…`);
  });

  it('stay whole where they are short', () => {
    expect(shortenBoth('abc', 'abd', 3)).toEqual(['abc', 'abd']);
  });

  it('show where they differ, however late that is', () => {
    const long = 'x'.repeat(5000);
    const [a, b] = shortenBoth(`${long}brief${long}`, `${long}thorough${long}`, 300);
    expect(a).toMatch(/^…x{120}brief/);
    expect(b).toMatch(/^…x{120}thorough/);
    expect([a.length, b.length]).toEqual([302, 302]);
  });

  it('begin at the beginning where that shows the difference', () => {
    const long = 'x'.repeat(5000);
    expect(shortenBoth(`brief${long}`, `thorough${long}`, 20)[0]).toBe(`brief${'x'.repeat(15)}…`);
  });

  it('show the end of the longer one, where one is all that the other begins with', () => {
    const [a, b] = shortenBoth('x'.repeat(500), `${'x'.repeat(500)}more`, 300);
    expect(a).toBe(`…${'x'.repeat(120)}`);
    expect(b).toBe(`…${'x'.repeat(120)}more`);
  });

  it('begin a little before the difference when the beginning would not show it', () => {
    const same = 'x'.repeat(180);
    const long = 'y'.repeat(200);
    const shown = [`…${'x'.repeat(120)}a${'y'.repeat(179)}…`, `…${'x'.repeat(120)}b${'y'.repeat(179)}…`];
    expect(shortenBoth(`${same}a${long}`, `${same}b${long}`, 300)).toEqual(shown);
  });

  it('begin there when either of them is long', () => {
    const short = 'x'.repeat(250);
    const long = short + 'y'.repeat(200);
    const [ofShort, ofLong] = [`…${'x'.repeat(120)}`, `…${'x'.repeat(120)}${'y'.repeat(180)}…`];
    expect(shortenBoth(short, long, 300)).toEqual([ofShort, ofLong]);
    expect(shortenBoth(long, short, 300)).toEqual([ofLong, ofShort]);
  });

  it('show their ends where they do not differ', () => {
    const same = `${'x'.repeat(400)}${'y'.repeat(120)}`;
    expect(shortenBoth(same, same, 300)).toEqual([`…${'y'.repeat(120)}`, `…${'y'.repeat(120)}`]);
  });
});
