import * as fc from 'fast-check';
import { nearest } from './nearest-text.js';

describe('the nearest of several texts', () => {
  it('shares most of its beginning and end', () => {
    expect(nearest('mail to ann', ['mail to bob', 'mail to anna', 'call ann'])).toBe(1);
    expect(nearest('x', [])).toBe(-1);
  });

  it('is found by how much is shared, wherever that ends in a long text', () => {
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
