import { formatTimestamp, parseTimestamp } from './timestamp.js';

describe('timestamps', () => {
  it('are written as ISO 8601 in UTC with microseconds', () => {
    expect(formatTimestamp(1_700_000_000_123_456)).toBe('2023-11-14T22:13:20.123456Z');
  });

  it.each([0, 1, 999_999, 1_700_000_000_123_456, -1])(
    'are unchanged after formatting and parsing: %d',
    (epochUs) => {
      expect(parseTimestamp(formatTimestamp(epochUs))).toBe(epochUs);
    },
  );

  it('accept fewer or more decimals', () => {
    expect(parseTimestamp('1970-01-01T00:00:00Z')).toBe(0);
    expect(parseTimestamp('1970-01-01T00:00:00.5Z')).toBe(500_000);
    expect(parseTimestamp('1970-01-01T00:00:00.123456789Z')).toBe(123_456);
  });

  it.each(['', 'now', '2023-11-14', '2023-11-14T22:13:20+02:00', '2023-99-14T22:13:20Z'])(
    'reject %j',
    (text) => {
      expect(parseTimestamp(text)).toBeUndefined();
    },
  );
});
