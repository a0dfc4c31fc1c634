/** The two clocks of a recording: one for times, one for durations. */
export interface Clock {
  /** Milliseconds since the epoch. May jump. */
  wallMs(): number;
  /** Milliseconds since any fixed point, with fractions. Never runs backwards. */
  monotonicMs(): number;
}

/** The largest fraction. Later times in the same millisecond are limited to it. */
const LAST_OF_A_MILLISECOND = 0.999;

let epochOffsetMs = performance.timeOrigin;

const KEY = Symbol.for('@dacapo/replaced-date');

interface ReplacedDate {
  /** Reads the clock that the global `Date` had before a replay replaced it; absent while none does. */
  realMs?: (() => number) | undefined;
}

const globals: typeof globalThis & { [KEY]?: ReplacedDate | undefined } = globalThis;

/** Whether a replay has replaced the global `Date` with one that shows recorded times. */
export const replacedDate = (globals[KEY] ??= {});

/** `Date.now` for code of this package. Returns the real time even inside a replayed call. */
export function realEpochMs(): number {
  const { realMs } = replacedDate;
  return realMs === undefined ? Date.now() : realMs();
}

export const systemClock: Clock = {
  /** The milliseconds of `Date.now` with the fraction of the monotonic clock, so that traces of one millisecond have an order. */
  wallMs() {
    const wholeMs = realEpochMs();
    const fraction = epochOffsetMs + performance.now() - wholeMs;
    if (fraction >= 0 && fraction < 1) return wholeMs + Math.min(fraction, LAST_OF_A_MILLISECOND);
    // The wall clock was set, or the two have drifted apart.
    const nearest = fraction < 0 ? 0 : LAST_OF_A_MILLISECOND;
    epochOffsetMs += nearest - fraction;
    return wholeMs + nearest;
  },
  monotonicMs: () => performance.now(),
};

/** The same clock; if it throws, calls `failed` and uses the system clock. */
export function guardedClock(clock: Clock, failed: (cause: unknown) => void): Clock {
  const read = (reading: keyof Clock): number => {
    try {
      return clock[reading]();
    } catch (error) {
      failed(error);
      return systemClock[reading]();
    }
  };
  return { wallMs: () => read('wallMs'), monotonicMs: () => read('monotonicMs') };
}
