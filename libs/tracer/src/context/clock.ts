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

/** Milliseconds to three decimals. */
export function roundToMicros(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
