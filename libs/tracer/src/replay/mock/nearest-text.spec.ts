import * as fc from 'fast-check';
import { nearest } from './nearest-text.js';

describe('the nearest of several texts', () => {
  it('shares most of its beginning and end', () => {
    expect(nearest('mail to ann', ['mail to bob', 'mail to anna', 'call ann'])).toBe(1);
    expect(nearest('x', [])).toBe(-1);
  });

  it('is the first of those that share as much, and counts no character twice', () => {
    expect(nearest('mail', ['call', 'hull', 'call'])).toBe(0);
    expect(nearest('aa', ['a', 'aab'])).toBe(1);
    expect(nearest('a'.repeat(1500), ['a'.repeat(1100), `${'a'.repeat(1500)}b`])).toBe(1);
  });

  it('shares its end, character by character', () => {
    expect(nearest('a-end', ['b-other', 'c-end'])).toBe(1);
    expect(nearest('a-end', ['cxxxd', 'b-end'])).toBe(1);
  });

  it('shares only the equal parts of a long text', () => {
    const text = 'x'.repeat(4096);
    const ending = (shared: number): string => 'x'.repeat(shared).padStart(4096, 'y');
    const beginning = (shared: number): string => 'x'.repeat(shared).padEnd(4096, 'y');
    expect(nearest(text, [beginning(0), beginning(1)])).toBe(1);
    expect(nearest(text, [ending(0), ending(1)])).toBe(1);
    expect(nearest(text, [ending(1096), ending(2096)])).toBe(1);
    expect(nearest(text, [beginning(1096), beginning(2096)])).toBe(1);
  });

  it('is found by the size of the shared part, anywhere in a long text', () => {
    const length = fc.integer({ min: 0, max: 3000 });
    const sharesSomething = fc.tuple(length, length).filter(([beginning, end]) => beginning + end > 0);
    fc.assert(
      fc.property(sharesSomething, length, ([beginning, end], farther) => {
        const text = `${'b'.repeat(beginning)}!${'e'.repeat(end)}`;
        const near = text.replace('!', '?');
        const far = text.replace('!', '?'.repeat(2 + farther));
        expect(nearest(text, [far, near, far])).toBe(1);
      }),
    );
  });

  it('is found at once among many that share a long beginning', async () => {
    const prompt = 'You are a helpful assistant. '.repeat(4000);
    const texts = Array.from({ length: 300 }, (_, i) => `${prompt}${i}`);
    for (const [i, text] of texts.entries()) {
      expect(nearest(text, texts)).toBe(i);
      // Character by character it takes minutes: the test then ends by its timeout.
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
});
