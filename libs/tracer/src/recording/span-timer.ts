import { formatTimestamp, type SpanStatus } from '@dacapo/protocol';
import type { Clock } from '../context/clock.js';
import type { ActiveSpan } from './active-span.js';
import type { ActiveTrace } from './active-trace.js';

export interface SpanTimes {
  readonly startedAt: string;
  /** Absent while the span has not ended. */
  readonly endedAt: string | undefined;
  /** Whole microseconds. */
  readonly durationUs: number;
}

/** Measures spans: on the monotonic clock, so that a jump of the wall clock changes no duration. */
export class SpanTimer {
  private readonly timestamps = new TimestampWriter();

  constructor(private readonly clock: Clock) {}

  /** Milliseconds since the span began, to three decimals. */
  elapsedMs(span: ActiveSpan): number {
    return Math.round((this.clock.monotonicMs() - span.startedMs) * 1000) / 1000;
  }

  /** Now, later than every moment of the trace before. */
  nextTimestamp(trace: ActiveTrace): string {
    return this.timestamps.write(trace.nextMoment(this.clock.monotonicMs()));
  }

  measureTimes(span: ActiveSpan, status: SpanStatus): SpanTimes {
    const { trace, endedMs } = span;
    const { startedUs } = span.start;
    const endedUs =
      endedMs === undefined ? trace.nextMoment(this.clock.monotonicMs()) : trace.momentAt(endedMs);
    const endedAt = status === 'unfinished' ? undefined : this.timestamps.write(endedUs);
    return { startedAt: this.timestamps.write(startedUs), endedAt, durationUs: endedUs - startedUs };
  }
}

/** 0 to 999 with three digits each. Formatting numbers takes longer than the rest of a timestamp. */
const THREE_DIGITS: readonly string[] = Array.from({ length: 1000 }, (_, number) =>
  String(number).padStart(3, '0'),
);

/** Writes timestamps of nearby moments: the part down to the second is made once for each second. */
export class TimestampWriter {
  private second = NaN;
  private prefix = '';

  /** ISO 8601 in UTC with six decimals, from whole microseconds since the epoch. */
  write(micros: number): string {
    const second = Math.floor(micros / 1_000_000);
    if (second !== this.second) {
      this.prefix = formatTimestamp(second * 1_000_000).slice(0, 20);
      this.second = second;
    }
    const fraction = (micros - second * 1_000_000) | 0;
    const millis = (fraction / 1000) | 0;
    // Short strings are joined by copying; joining a longer one creates an object.
    const digits = `${THREE_DIGITS[millis]}${THREE_DIGITS[fraction - millis * 1000]}Z`;
    return this.prefix + digits;
  }
}

/** Writes a duration in whole microseconds as JSON, in milliseconds with three decimals; 0 if it is invalid. */
export function writeDuration(micros: number): string {
  if (!(micros > 0)) return '0';
  const millis = Math.floor(micros / 1000);
  return `${millis}.${THREE_DIGITS[micros - millis * 1000]}`;
}
