import { formatDifference, formatEvidence, formatInterval, formatNumber, formatP, plural } from './words.js';

describe('Numbers in sentences', () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [0.12345, '0.123'],
    [-0.0001234, '-0.000123'],
    [2 / 3, '0.667'],
    [99.4, '99.4'],
    [99.96, '100'],
    [100.4, '100'],
    [-1234.5678, '-1235'],
    [1e6, '1000000'],
  ])('%d is %s', (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });

  it.each([
    [1, 'p = 1'],
    [0.0312, 'p = 0.031'],
    [0.001, 'p = 0.001'],
    [0.00099, 'p < 0.001'],
    [0, 'p < 0.001'],
  ])('%d is %s', (p, text) => {
    expect(formatP(p)).toBe(text);
  });

  it('have their interval, inverted for a drop', () => {
    const delta = { mean: -0.3, interval: { low: -0.5, high: -0.1 }, p: 0.02, n: 9, units: 9, smallestP: 0 };
    expect(formatInterval(delta.interval)).toBe('-0.5 to -0.1');
    expect(formatDifference(-0.3, delta, 0.95)).toBe('-0.3 (95 % interval -0.5 to -0.1, p = 0.02)');
    expect(formatDifference(0.3, delta, 0.9)).toBe('0.3 (90 % interval 0.1 to 0.5, p = 0.02)');
    const without = { mean: 5, p: 1, n: 1, units: 1, smallestP: 1 };
    expect(formatDifference(5, without, 0.95, ' ms')).toBe('5 ms (p = 1)');
    expect(formatEvidence({ ...without, allowed: 0 })).toBe('p = 1');
    expect(formatEvidence({ ...without, p: 0.04, allowed: 0.02 })).toBe('p = 0.04 against 0.02');
    expect(formatDifference(5, { ...without, exact: true }, 0.95)).toBe('5 (exact)');
  });

  it('use the singular for one', () => {
    expect([0, 1, 2].map((count) => plural(count, 'item', 'items'))).toEqual([
      '0 items',
      '1 item',
      '2 items',
    ]);
  });
});
