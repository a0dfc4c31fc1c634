/** The two clocks of a recording: one tells when, one tells how long. */
export interface Clock {
  /** Milliseconds since the epoch. May jump. */
  wallMs(): number;
  /** Milliseconds since any fixed point, with fractions. Never runs backwards. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  wallMs: () => Date.now(),
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
