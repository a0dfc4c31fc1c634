const KEY = Symbol.for('@dacapo/keyless');

interface Keyless {
  /** Whether tracers without a key, or with `enabled: false`, record. Their records go nowhere, except to a cassette. */
  isRecorded: boolean;
  /** How many tracers were created that record nothing. */
  off: number;
}

const globals = globalThis as unknown as Record<symbol, Keyless | undefined>;

/** Tracers of this process without a key, of all copies of this package. */
export const keyless = (globals[KEY] ??= { isRecorded: false, off: 0 });
