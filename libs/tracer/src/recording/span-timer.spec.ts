import { formatTimestamp } from '@dacapo/protocol';
import { TimestampWriter, writeDuration } from './span-timer.js';

describe('TimestampWriter', () => {
  it('writes the format of the protocol, within a second and across seconds', () => {
    const writer = new TimestampWriter();
    for (const micros of [
      1_700_000_000_000_000, 1_700_000_000_000_001, 1_700_000_000_999_999, 1_700_000_001_000_000, 5,
    ]) {
      expect(writer.write(micros)).toBe(formatTimestamp(micros));
    }
  });
});

describe('A duration', () => {
  it.each([
    [0, '0'],
    [1, '0.001'],
    [1_500, '1.500'],
    [12_345_679, '12345.679'],
  ])('of %d µs has three decimals: %s', (micros, text) => {
    expect(writeDuration(micros)).toBe(text);
  });

  it.each([-1, NaN])('without a number is 0: %d', (micros) => {
    expect(writeDuration(micros)).toBe('0');
  });
});
