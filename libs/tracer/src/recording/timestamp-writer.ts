import { formatTimestamp } from '@dacapo/protocol';

/** Writes timestamps of nearby moments: the part down to the second is made once for each second. */
export class TimestampWriter {
  private second = NaN;
  private prefix = '';

  /** ISO 8601 in UTC with six decimals, from milliseconds since the epoch with fractions. */
  write(epochMs: number): string {
    const micros = Math.floor(epochMs * 1000);
    const second = Math.floor(micros / 1_000_000);
    if (second !== this.second) {
      this.prefix = formatTimestamp(second * 1_000_000).slice(0, 20);
      this.second = second;
    }
    const fraction = micros - second * 1_000_000;
    return `${this.prefix}${String(1_000_000 + fraction).slice(1)}Z`;
  }
}
