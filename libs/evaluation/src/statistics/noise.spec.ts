import { detectableDifference } from './detectable-effect.js';
import { summarizeNoise } from './noise.js';
import { wilsonInterval } from './wilson-interval.js';

describe('summarizeNoise', () => {
  it('reports how often and how much unchanged code differs', () => {
    const found = summarizeNoise(200, 8, { accuracy: [0.1, -0.1, 0.1, -0.1], none: [] });
    expect(found.changed).toEqual({ count: 8, rate: 0.04, interval: wilsonInterval(8, 200) });
    expect(Object.keys(found.scores)).toEqual(['accuracy']);
    expect(found.scores['accuracy']).toMatchObject({ n: 4, mean: 0 });
    expect(found.scores['accuracy']!.standardDeviation).toBeCloseTo(Math.sqrt(0.04 / 3), 12);
    expect(found.scores['accuracy']!.detectable).toBeCloseTo(
      (2.8015852181139684 * Math.sqrt(0.04 / 3)) / 2,
      12,
    );
  });

  it('measures noise around its mean, at the given confidence', () => {
    const { accuracy } = summarizeNoise(4, 0, { accuracy: [1, 2, 3, 6] }, 0.9).scores;
    expect(accuracy).toMatchObject({ n: 4, mean: 3 });
    expect(accuracy!.standardDeviation).toBeCloseTo(Math.sqrt(14 / 3), 12);
    expect(accuracy!.detectable).toBe(
      detectableDifference(4, accuracy!.standardDeviation, { confidence: 0.9 }),
    );
  });

  it('works with one item, and with none', () => {
    expect(summarizeNoise(1, 0, { speed: [0.5] }).scores['speed']).toMatchObject({
      mean: 0.5,
      standardDeviation: 0,
    });
    expect(summarizeNoise(0, 0, {})).toMatchObject({ items: 0, changed: { count: 0, rate: 0 } });
    expect(() => summarizeNoise(1, 0, { speed: [Infinity] })).toThrow(
      'speed[0] must be a finite number, not Infinity',
    );
  });
});
