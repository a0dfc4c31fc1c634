import type { Clock } from './context/clock.js';
import type { RecordSink } from './delivery/record-sink.js';

/** Parts that a test replaces. */
export interface TracerParts {
  readonly sink?: RecordSink;
  readonly clock?: Clock;
  /** The environment variables; default: those of the process. */
  readonly env?: NodeJS.ProcessEnv;
}
