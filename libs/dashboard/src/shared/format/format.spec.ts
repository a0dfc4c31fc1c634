import { formatCost } from './format-cost.js';
import { formatBytes, formatQuantity } from './format-count.js';
import { formatDuration, formatDurationChange } from './format-duration.js';
import { formatTime } from './format-time.js';

describe('formatDuration', () => {
  it.each([
    [undefined, '–'],
    [0, '0 ms'],
    [0.42, '0.4 ms'],
    [9.96, '10 ms'],
    [38.2, '38 ms'],
    [999.6, '1.00 s'],
    [1_240, '1.24 s'],
    [59_999, '1 m 00 s'],
    [125_000, '2 m 05 s'],
    [3_725_000, '1 h 02 m'],
  ])('writes %p ms as %p', (durationMs, text) => {
    expect(formatDuration(durationMs)).toBe(text);
  });

  it('signs a change', () => {
    expect(formatDurationChange(100, 112)).toBe('+12 ms');
    expect(formatDurationChange(2_000, 800)).toBe('−1.20 s');
  });
});

describe('formatQuantity', () => {
  it('uses the plural unless the count is 1', () => {
    expect(formatQuantity(1, 'span')).toBe('1 span');
    expect(formatQuantity(1_234, 'entry', 'entries')).toBe('1,234 entries');
  });
});

describe('formatBytes', () => {
  it.each([
    [640, '640 B'],
    [12_288, '12 KB'],
    [1_468_006, '1.4 MB'],
  ])('writes %p as %p', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});

describe('formatCost', () => {
  it.each([
    [0, '$0'],
    [0.000_000_021_4, '$0.000000021'],
    [0.001_234, '$0.0012'],
    [0.003, '$0.0030'],
    [0.094, '$0.094'],
    [0.0951, '$0.10'],
    [4.5, '$4.50'],
    [1_234.5, '$1,234.50'],
  ])('writes %p dollars as %p', (costUsd, text) => {
    expect(formatCost(costUsd)).toBe(text);
  });
});

describe('formatTime', () => {
  it('returns an invalid timestamp unchanged', () => {
    expect(formatTime('soon')).toBe('soon');
  });
});
