import { formatChange, formatRatio, formatShare, ownUsage } from './figures.js';

describe('formatChange', () => {
  it.each([
    [124, 100, '+24 %'],
    [92, 100, '−8 %'],
    [310, 100, '× 3.1'],
    [100.4, 100, ''],
    [5, 0, ''],
    [undefined, 100, ''],
    [100, undefined, ''],
    [0, 100, '−100 %'],
  ])('of %s compared with %s is "%s"', (current, baseline, text) => {
    expect(formatChange(current, baseline)).toBe(text);
  });
});

describe('formatRatio and formatShare', () => {
  it('have one decimal below ten', () => {
    expect([
      formatRatio(9.94),
      formatRatio(12.4),
      formatShare(0),
      formatShare(0.003),
      formatShare(0.25),
    ]).toEqual(['× 9.9', '× 12', '0 %', '0.3 %', '25 %']);
  });
});

describe('ownUsage', () => {
  const item = { calls: 1, errors: 0, model_calls: 2, input_tokens: 0, output_tokens: 0 };

  it('is absent without own model calls, and has no cost without a price', () => {
    expect(ownUsage(item)).toBeUndefined();
    expect(ownUsage({ ...item, own_model_calls: 2, own_unpriced_calls: 2 })).toEqual({ unpriced_calls: 2 });
  });
});
