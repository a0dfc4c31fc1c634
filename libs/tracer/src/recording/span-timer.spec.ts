import { formatTimestamp } from '@dacapo/protocol';
import { TimestampWriter, writeDuration } from './span-timer.js';

describe('TimestampWriter', () => {
  it('writes what the protocol writes, within a second and across seconds', () => {
    const writer = new TimestampWriter();
    for (const micros of [
      1_700_000_000_000_000, 1_700_000_000_000_001, 1_700_000_000_999_999, 1_700_000_001_000_000, 5,
    ]) {
      expect(writer.write(micros / 1000)).toBe(formatTimestamp(micros));
    }
  });
});

describe('A duration', () => {
  it.each([
    [0, '0'],
    [0.0004, '0'],
    [0.001, '0.001'],
    [1.5, '1.500'],
    [12_345.6789, '12345.679'],
  ])('of %d ms has three decimals: %s', (ms, text) => {
    expect(writeDuration(ms)).toBe(text);
    expect(JSON.parse(text)).toBeCloseTo(ms, 3);
  });

  it.each([-1, NaN])('that is none is 0: %d', (ms) => {
    expect(writeDuration(ms)).toBe('0');
  });
});
