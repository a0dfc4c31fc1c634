import { formatTimestamp } from '@dacapo/protocol';
import { THREE_DIGITS } from './three-digits.js';

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
    const fraction = (micros - second * 1_000_000) | 0;
    const millis = (fraction / 1000) | 0;
    // Short texts are joined by copying; each join with a longer one makes an object.
    const digits = `${THREE_DIGITS[millis]}${THREE_DIGITS[fraction - millis * 1000]}Z`;
    return this.prefix + digits;
  }
}

/** A duration in milliseconds with three decimals, as JSON; 0 for what is none. */
export function writeDuration(ms: number): string {
  const micros = Math.round(ms * 1000);
  if (!(micros > 0)) return '0';
  const millis = Math.floor(micros / 1000);
  return `${millis}.${THREE_DIGITS[micros - millis * 1000]}`;
}
