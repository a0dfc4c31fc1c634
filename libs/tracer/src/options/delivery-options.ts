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
  /** Maximum number of batches being sent at once. Fewer while the service is slow. */
  maxConcurrency: number({ default: 8, from: 1, to: 64 }),
  /** Timeout of one attempt to send a batch. The default is never above the tracer's `timeout`. */
  requestTimeoutMs: number({ default: 30_000, from: 1, ...ms }),
  /** Upper bound of the random pause after the first failed attempt. It doubles with each further failure. */
  retryMinDelayMs: number({ default: 500, from: 1, ...ms }),
  /** Highest value of that bound. */
  retryMaxDelayMs: number({ default: 30_000, from: { times: 1, of: 'retryMinDelayMs' }, ...ms }),
  /** How long `shutdown()` waits for records to be sent. */
  shutdownTimeoutMs: number({ default: 5000, from: 0, ...ms }),
  /** How long an ending process waits for records to be sent. */
  exitTimeoutMs: number({ default: 2000, from: 0, ...ms }),
  /**
   * What to do with unsent records when the process ends, also by `process.exit()` or an uncaught error.
   *
   * - `spool`: they are written to files, which the next process sends
   * - `send`: they are sent first, for which the end waits as long as `exitTimeoutMs`, and so does `shutdown()` while the
   *   service is away. For containers and jobs, whose disk goes with them
   */
  atExit: oneOf('spool', 'send'),
  /** `'auto'` compresses bodies off the main thread, unless the service is on loopback. */
  compression: oneOf('auto', 'off'),
  /** Memory limit for unsent records. */
  maxQueueBytes: number({ default: 32 * MIB, unit: 'bytes', from: { times: 2, of: 'maxBatchBytes' } }),
  /**
   * When unsent records are written to files.
   *
   * - `auto`: when memory is full, while the service cannot be reached, and at the end of the process
   * - `always`: each record is written at once, about 5 µs more a record; SIGKILL and a full heap then lose nothing
   * - `false`: never; what does not fit in memory is dropped and counted
   */
  spool: oneOf('auto', 'always', false),
  /** Folder of the spool files. */
  spoolDir: text({ cure: 'Omit it for a private folder.', defaultText: 'a private folder of the user' }),
  /** Size limit of all spool files for one service and key, across processes. Beyond it, the oldest are deleted. */
  maxSpoolBytes: number({ default: 512 * MIB, unit: 'bytes', from: 0 }),
  /** Records older than this are deleted from files and counted as dropped. */
  maxSpoolAgeMs: number({
    default: DEFAULT_MAX_SPOOL_AGE_MS,
    unit: 'milliseconds',
    fraction: 'above',
    from: 0,
    defaultText: '30 days',
  }),
  /**
   * Former keys of the same account. Records in files under these keys are sent with the current key.
   *
   * Without it such records stay where they are, and the process says so.
   */
  previousKeys: option<readonly string[]>({
    takes: 'a list of keys',
    defaultText: 'none',
    accepts: (value): value is readonly string[] =>
      Array.isArray(value) && value.every((key) => typeof key === 'string'),
    // The value may be a key, so the message omits it.
    problem: () => 'must be a list of keys',
    cure: 'Write it like previousKeys: [process.env.TRACER_PREVIOUS_API_KEY].',
  }),
};

export type DeliveryOptions = GivenOptions<typeof DELIVERY_OPTIONS>;

/** `spoolDir` may be absent: finding the default folder reads the file system. */
export type ResolvedDeliveryOptions = ResolvedOptions<typeof DELIVERY_OPTIONS>;

/** The delivery options without keys, so that nothing prints them. */
export type WorkingOptions = Omit<ResolvedDeliveryOptions, 'previousKeys'>;

/** @throws InvalidOptionError when a value is invalid */
export function resolveDeliveryOptions(options: DeliveryOptions, timeoutMs: number): ResolvedDeliveryOptions {
  const resolved = resolveOptions('delivery.', DELIVERY_OPTIONS, options);
  const longestTryMs = Math.max(1, Math.ceil(Math.min(timeoutMs, resolved.requestTimeoutMs)));
  return { ...resolved, requestTimeoutMs: options.requestTimeoutMs ?? longestTryMs };
}
