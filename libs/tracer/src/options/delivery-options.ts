import { LIMITS } from '@dacapo/protocol';
import { resolveOptions } from './check-options.js';
import {
  type GivenOptions,
  LONGEST_TIMER_MS,
  number,
  oneOf,
  option,
  type ResolvedOptions,
  text,
} from './option.js';

const MIB = 1024 * 1024;
export const DEFAULT_MAX_SPOOL_AGE_MS = 30 * 24 * 60 * 60_000;
const ms = { unit: 'milliseconds', to: LONGEST_TIMER_MS } as const;

/** How records travel to the service. */
export const DELIVERY_OPTIONS = {
  /** A batch is sent when it holds this many records. */
  maxBatchRecords: number({ default: 512, from: 1 }),
  /** A batch is sent when the next record would make it larger than this. */
  maxBatchBytes: number({ default: MIB, unit: 'bytes', from: 4096, to: LIMITS.bodyBytes - 4 * MIB }),
  /** A batch is sent this long after its first record. */
  intervalMs: number({ default: 1000, from: 1, ...ms }),
  /** Most batches on their way at once; less while the service is slow. */
  maxConcurrency: number({ default: 8, from: 1, to: 64 }),
  /** How long one try of a batch may take; never longer than the tracer's `timeout` unless it is given. */
  requestTimeoutMs: number({ default: 30_000, from: 1, ...ms }),
  /** The random pause after a failed try is at most this at first, then twice as long each time. */
  retryMinDelayMs: number({ default: 500, from: 1, ...ms }),
  /** The longest such pause. */
  retryMaxDelayMs: number({ default: 30_000, from: { times: 1, of: 'retryMinDelayMs' }, ...ms }),
  /** How long `shutdown()` waits for what is on its way. */
  shutdownTimeoutMs: number({ default: 5000, from: 0, ...ms }),
  /** How long the end of a process waits for records to leave. */
  exitTimeoutMs: number({ default: 2000, from: 0, ...ms }),
  /**
   * What becomes of records that wait when the process ends, `process.exit()` and an uncaught error included.
   *
   * - `spool`: they are written to files, which the next process sends
   * - `send`: they are sent first, for which the end waits as long as `exitTimeoutMs`, and so does `shutdown()` while the
   *   service is away. For containers and jobs, whose disk goes with them
   */
  atExit: oneOf('spool', 'send'),
  /** `'auto'`: bodies are compressed off the main thread unless the service is on loopback. */
  compression: oneOf('auto', 'off'),
  /** Memory for records that wait. */
  maxQueueBytes: number({ default: 32 * MIB, unit: 'bytes', from: { times: 2, of: 'maxBatchBytes' } }),
  /**
   * Files for records that wait.
   *
   * - `auto`: when memory is full, while the service cannot be reached, and at the end of the process
   * - `always`: each record is written at once, about 5 µs more a record; SIGKILL and a full heap then lose nothing
   * - `false`: never; what does not fit in memory is dropped and counted
   */
  spool: oneOf('auto', 'always', false),
  /** Folder of the spool files. */
  spoolDir: text({ cure: 'Leave it out for a private folder.', defaultText: 'a private folder of the user' }),
  /** Size of all spool files for one service and key, of all processes; then the oldest go. */
  maxSpoolBytes: number({ default: 512 * MIB, unit: 'bytes', from: 0 }),
  /** Records that waited in files for longer are removed, and counted as dropped. */
  maxSpoolAgeMs: number({
    default: DEFAULT_MAX_SPOOL_AGE_MS,
    unit: 'milliseconds',
    fraction: 'above',
    from: 0,
    defaultText: '30 days',
  }),
  /**
   * Keys of the same account that this one replaced. What waits in files under them is sent under this one.
   *
   * Without it such records stay where they are, and the process says so.
   */
  previousKeys: option<readonly string[]>({
    takes: 'a list of keys',
    default: undefined,
    defaultText: 'none',
    accepts: (value): value is readonly string[] =>
      Array.isArray(value) && value.every((key) => typeof key === 'string'),
    // The value may be a key: it is not told.
    problem: () => 'must be a list of keys',
    cure: 'Write it like previousKeys: [process.env.TRACER_PREVIOUS_API_KEY].',
  }),
};

export type DeliveryOptions = GivenOptions<typeof DELIVERY_OPTIONS>;

/** `spoolDir` stays absent when it was: finding it asks the file system. */
export type ResolvedDeliveryOptions = ResolvedOptions<typeof DELIVERY_OPTIONS>;

/** What delivery works with: without keys, so that nothing prints them. */
export type WorkingOptions = Omit<ResolvedDeliveryOptions, 'previousKeys'>;

/** @throws InvalidOptionError when a value cannot work. */
export function resolveDeliveryOptions(given: DeliveryOptions, timeoutMs: number): ResolvedDeliveryOptions {
  const resolved = resolveOptions('delivery.', DELIVERY_OPTIONS, given);
  const longestTryMs = Math.max(1, Math.ceil(Math.min(timeoutMs, resolved.requestTimeoutMs)));
  return { ...resolved, requestTimeoutMs: given.requestTimeoutMs ?? longestTryMs };
}
