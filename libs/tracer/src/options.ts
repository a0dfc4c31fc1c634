import type { CaptureOptions } from './capture/capture-options.js';
import type { DeliveryOptions } from './delivery/delivery-options.js';
import { consoleLogger, type TracerLogger } from './diagnostics/logger.js';
import { InvalidOptionError, type TracerError } from './errors.js';
import { refuseUnknownOptions } from './option-names.js';
import { checkFunctionOption, describe, flagOption, LONGEST_TIMER_MS } from './option-values.js';

export const DEFAULT_SERVICE_URL = 'http://127.0.0.1:4100';

/** Everything `new Tracer` takes (SPEC 4.2). */
export interface TracerOptions {
  /** The account's key. Missing, empty or blank: tracing is off, with one warning; nothing is thrown. */
  apiKey?: string | undefined;
  /** Address of the service. Default: `http://127.0.0.1:4100`, where `dacapo serve` listens. */
  serviceUrl?: string | undefined;
  /** How long a request to the service may take, in milliseconds. Default: 120000. */
  timeout?: number | undefined;
  /** Keys of model providers for `call`, such as `{ OPENAI_API_KEY: '…' }`. Used for nothing else, and never sent to the service. */
  envVars?: Readonly<Record<string, string>> | undefined;
  /** `false`: nothing is recorded or sent, and wrapped functions run as they are. Default: true. */
  enabled?: boolean | undefined;
  /** Generated client of a prompt-function framework, for `wrapFramework` without a client at the call site. */
  frameworkClient?: unknown;
  /** What of a value is recorded, and how. */
  capture?: CaptureOptions | undefined;
  /** How records travel. */
  delivery?: DeliveryOptions | undefined;
  /** Share of traces that are recorded, 0 to 1, decided at a trace's root. Default: 1. */
  sampleRate?: number | undefined;
  /**
   * `true`: of the traces that `sampleRate` leaves out, those are sent in which a span ends with an error. Default: false.
   *
   * All calls are then captured, at the cost of a `sampleRate` of 1, and held until the trace's open spans have ended:
   * 32 MiB in all, beyond which the trace that waits longest loses what it holds. A trace that another service left out
   * stays out.
   */
  keepErrors?: boolean | undefined;
  /** A span still open after this many milliseconds is sent as `unfinished`, and again when it ends. Default: 600000. */
  unfinishedAfterMs?: number | undefined;
  /**
   * Memory for what open spans hold, in bytes. Beyond it the oldest are sent as `unfinished` early, without what they
   * held the second time; the service joins the two. Default: 32 MiB.
   */
  maxOpenBytes?: number | undefined;
  /** Told of failures that must not reach the caller, once a cause and minute. */
  onError?: ((error: TracerError) => void) | undefined;
  /** Where warnings go. Default: `console.warn`. */
  logger?: TracerLogger | undefined;
}

const NAMES = {
  apiKey: true,
  serviceUrl: true,
  timeout: true,
  envVars: true,
  enabled: true,
  frameworkClient: true,
  capture: true,
  delivery: true,
  sampleRate: true,
  keepErrors: true,
  unfinishedAfterMs: true,
  maxOpenBytes: true,
  onError: true,
  logger: true,
} satisfies Record<keyof TracerOptions, true>;

/** Of every option of `new Tracer`: what an adapter that takes options of its own beside them checks against. */
export const TRACER_OPTION_NAMES: readonly string[] = Object.keys(NAMES);

export interface ResolvedOptions {
  readonly apiKey: string;
  readonly serviceUrl: string;
  readonly timeoutMs: number;
  readonly envVars: Readonly<Record<string, string>>;
  readonly enabled: boolean;
  readonly sampleRate: number;
  readonly keepErrors: boolean;
  readonly unfinishedAfterMs: number;
  readonly maxOpenBytes: number;
  readonly logger: TracerLogger;
}

/**
 * Checks the options once and fills in the defaults.
 *
 * @throws InvalidOptionError when a value cannot work; never for a missing key (SPEC 4.2).
 */
export function resolveOptions(options: TracerOptions): ResolvedOptions {
  checkObject(options);
  refuseUnknownOptions('', options, TRACER_OPTION_NAMES);
  checkFunctionOption('onError', options.onError, 'onError: (error) => …');
  return {
    apiKey: typeof options.apiKey === 'string' ? options.apiKey.trim() : '',
    serviceUrl: resolveServiceUrl(options.serviceUrl),
    timeoutMs: positive('timeout', options.timeout ?? 120_000, 'milliseconds', LONGEST_TIMER_MS),
    envVars: resolveEnvVars(options.envVars ?? {}),
    enabled: flagOption('enabled', options.enabled, true),
    sampleRate: share('sampleRate', options.sampleRate ?? 1),
    keepErrors: flagOption('keepErrors', options.keepErrors, false),
    unfinishedAfterMs: positive('unfinishedAfterMs', options.unfinishedAfterMs ?? 600_000, 'milliseconds'),
    maxOpenBytes: positive('maxOpenBytes', options.maxOpenBytes ?? 32 * 1024 * 1024, 'bytes'),
    logger: resolveLogger(options.logger ?? consoleLogger),
  };
}

function checkObject(options: unknown): void {
  if (typeof options === 'object' && options !== null) return;
  throw new InvalidOptionError(
    'options',
    `must be an object, not ${describe(options)}`,
    "Write it like new Tracer({ apiKey: '…' }).",
  );
}

function resolveLogger(logger: TracerLogger): TracerLogger {
  if (typeof (logger as Partial<TracerLogger>).warn === 'function') return logger;
  throw new InvalidOptionError('logger', 'has no method warn', 'Pass console, or { warn: (message) => … }.');
}

function resolveServiceUrl(given: unknown): string {
  const text = given instanceof URL ? given.href : (given ?? '');
  if (typeof text === 'string' && text.trim() === '') return DEFAULT_SERVICE_URL;
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InvalidOptionError(
      'serviceUrl',
      `must be an http or https address, not ${describe(text)}`,
      `Write it like ${DEFAULT_SERVICE_URL}.`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

function resolveEnvVars(envVars: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (typeof envVars !== 'object') {
    throw new InvalidOptionError(
      'envVars',
      `must be an object, not ${typeof envVars}`,
      "Write it like { OPENAI_API_KEY: '…' }.",
    );
  }
  for (const [name, value] of Object.entries(envVars)) {
    if (typeof value !== 'string') {
      throw new InvalidOptionError(
        `envVars.${name}`,
        `must be a string, not ${typeof value}`,
        'Leave out a key that is not set.',
      );
    }
  }
  return { ...envVars };
}

function positive(
  option: string,
  value: number,
  unit: 'milliseconds' | 'bytes',
  most = Number.MAX_VALUE,
): number {
  if (typeof value === 'number' && value > 0 && value <= most) return value;
  const bound = most === Number.MAX_VALUE ? '' : `, at most ${most}`;
  throw new InvalidOptionError(
    option,
    `must be a number of ${unit} above 0${bound}, not ${describe(value)}`,
    'Leave it out for the default.',
  );
}

function share(option: string, value: number): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  throw new InvalidOptionError(
    option,
    `must be from 0 to 1, not ${describe(value)}`,
    'Write 0.1 to record one trace in ten.',
  );
}
