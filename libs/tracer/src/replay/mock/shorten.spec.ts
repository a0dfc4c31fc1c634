import { shortenBoth } from './shorten.js';

describe('two texts that differ, shortened', () => {
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
});
