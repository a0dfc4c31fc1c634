import { formatTimestamp } from '@dacapo/protocol';
import { TimestampWriter } from './timestamp-writer.js';

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
