import { LIMITS } from '@dacapo/protocol';
import { InvalidOptionError } from '../errors.js';
import { refuseUnknownOptions } from '../option-names.js';
import { LONGEST_TIMER_MS } from '../option-values.js';

/** How records travel to the service. Sizes are in bytes, times in milliseconds. */
export interface DeliveryOptions {
  /** A batch is sent when it holds this many records. Default: 512. */
  maxBatchRecords?: number | undefined;
  /** A batch is sent when the next record would make it larger than this. 4 KiB to 16 MiB; default: 1 MiB. */
  maxBatchBytes?: number | undefined;
  /** A batch is sent this long after its first record. Default: 1000. */
  intervalMs?: number | undefined;
  /** Most batches on their way at once; less while the service is slow. 1 to 64; default: 8. */
  maxConcurrency?: number | undefined;
  /** One try of a batch. Default: 30000, or the tracer's `timeout` if that is shorter. */
  requestTimeoutMs?: number | undefined;
  /** The random pause after a failed try is at most this at first, then twice as long each time. Default: 500. */
  retryMinDelayMs?: number | undefined;
  /** The longest such pause. Default: 30000. */
  retryMaxDelayMs?: number | undefined;
  /** How long `shutdown()` waits for what is on its way. Default: 5000. */
  shutdownTimeoutMs?: number | undefined;
  /** How long a process that has nothing left to do stays up for records to leave. Default: 2000. */
  exitTimeoutMs?: number | undefined;
  /** `auto`: bodies are compressed off the main thread unless the service is on loopback. Default: `auto`. */
  compression?: 'auto' | 'off' | undefined;
  /** Memory for records that wait. At least 2 × `maxBatchBytes`; default: 32 MiB. */
  maxQueueBytes?: number | undefined;
  /**
   * Files for records that wait. Default: `auto`.
   *
   * - `auto`: when memory is full, while the service cannot be reached, and at the end of the process
   * - `always`: each record is written at once, about 5 µs more a record; SIGKILL and a full heap then lose nothing
   * - `false`: never; what does not fit in memory is dropped and counted
   */
  spool?: 'auto' | 'always' | false | undefined;
  /** Folder of the spool files. Default: see `defaultSpoolRoot`, a private folder of the user. */
  spoolDir?: string | undefined;
  /** Size of all spool files for one service and key, of all processes; then the oldest go. Default: 512 MiB. */
  maxSpoolBytes?: number | undefined;
}

/** The options with their defaults. `spoolDir` stays absent when it was: finding it asks the file system. */
export type ResolvedDeliveryOptions = {
  readonly [Name in Exclude<keyof DeliveryOptions, 'spoolDir'>]-?: Exclude<DeliveryOptions[Name], undefined>;
} & { readonly spoolDir: string | undefined };

const NAMES = {
  maxBatchRecords: true,
  maxBatchBytes: true,
  intervalMs: true,
  maxConcurrency: true,
  requestTimeoutMs: true,
  retryMinDelayMs: true,
  retryMaxDelayMs: true,
  shutdownTimeoutMs: true,
  exitTimeoutMs: true,
  compression: true,
  maxQueueBytes: true,
  spool: true,
  spoolDir: true,
  maxSpoolBytes: true,
} satisfies Record<keyof DeliveryOptions, true>;

const MIB = 1024 * 1024;

/** @throws InvalidOptionError when a value cannot work. */
export function resolveDeliveryOptions(options: DeliveryOptions, timeoutMs: number): ResolvedDeliveryOptions {
  refuseUnknownOptions('delivery.', options, Object.keys(NAMES));
  const whole = (name: keyof DeliveryOptions, fallback: number, from: number, to = Number.MAX_SAFE_INTEGER) =>
    wholeNumber(name, options[name], fallback, from, to);
  const wait = (name: keyof DeliveryOptions, fallback: number, from: number) =>
    whole(name, fallback, from, LONGEST_TIMER_MS);
  const maxBatchBytes = whole('maxBatchBytes', MIB, 4096, LIMITS.bodyBytes - 4 * MIB);
  const retryMinDelayMs = wait('retryMinDelayMs', 500, 1);
  return {
    maxBatchBytes,
    retryMinDelayMs,
    maxBatchRecords: whole('maxBatchRecords', 512, 1),
    intervalMs: wait('intervalMs', 1000, 1),
    maxConcurrency: whole('maxConcurrency', 8, 1, 64),
    requestTimeoutMs: wait('requestTimeoutMs', Math.max(1, Math.ceil(Math.min(timeoutMs, 30_000))), 1),
    retryMaxDelayMs: wait('retryMaxDelayMs', Math.max(30_000, retryMinDelayMs), retryMinDelayMs),
    shutdownTimeoutMs: wait('shutdownTimeoutMs', 5000, 0),
    exitTimeoutMs: wait('exitTimeoutMs', 2000, 0),
    maxQueueBytes: whole('maxQueueBytes', Math.max(32 * MIB, 2 * maxBatchBytes), 2 * maxBatchBytes),
    maxSpoolBytes: whole('maxSpoolBytes', 512 * MIB, 0),
    compression: oneOf<'auto' | 'off'>('compression', options.compression, ['auto', 'off']),
    spool: oneOf<'auto' | 'always' | false>('spool', options.spool, ['auto', 'always', false]),
    spoolDir: folder(options.spoolDir),
  };
}

function wholeNumber(name: string, value: unknown, fallback: number, from: number, to: number): number {
  if (value === undefined) return fallback;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= from && value <= to) return value;
  const range = to === Number.MAX_SAFE_INTEGER ? `from ${from} up` : `from ${from} to ${to}`;
  throw new InvalidOptionError(
    `delivery.${name}`,
    `must be a whole number ${range}, not ${typeof value === 'number' ? value : typeof value}`,
    `Leave it out for ${fallback}.`,
  );
}

function oneOf<T>(name: string, value: T | undefined, allowed: readonly T[]): T {
  const found = value === undefined ? allowed[0] : allowed.find((one) => one === value);
  if (found !== undefined) return found;
  const words = allowed.map((one) => JSON.stringify(one));
  throw new InvalidOptionError(
    `delivery.${name}`,
    `must be one of ${words.join(', ')}, not ${JSON.stringify(value)}`,
    `Leave it out for ${words[0] ?? 'the default'}.`,
  );
}

function folder(value: unknown): string | undefined {
  if (value === undefined || (typeof value === 'string' && value.trim() !== '')) return value;
  throw new InvalidOptionError(
    'delivery.spoolDir',
    'must be the path of a folder',
    'Leave it out for a private folder.',
  );
}
