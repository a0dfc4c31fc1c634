/** The two clocks of a recording: one tells when, one tells how long. */
export interface Clock {
  /** Milliseconds since the epoch. May jump. */
  wallMs(): number;
  /** Milliseconds since any fixed point, with fractions. Never runs backwards. */
  monotonicMs(): number;
}

/** The largest fraction: a later one in the same millisecond would return to it. */
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

/** `Date.now` for code of this package, which may run inside a replayed call: never a recorded time. */
export function realEpochMs(): number {
  const { realMs } = replacedDate;
  return realMs === undefined ? Date.now() : realMs();
}

export const systemClock: Clock = {
  /** In the millisecond that `Date.now` tells, with the fraction of the monotonic clock: so traces of one moment have an order. */
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

/** The same clock; where it throws, `failed` is told and the system's clock answers. */
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
