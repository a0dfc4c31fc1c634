import { consoleLogger, type TracerLogger } from '../diagnostics/logger.js';
import { InvalidOptionError, type TracerError } from '../errors.js';
import type { CaptureOptions } from './capture-options.js';
import { resolveOptions } from './check-options.js';
import { CONNECTION_OPTIONS, type ConnectionOptions } from './connection-options.js';
import type { DeliveryOptions } from './delivery-options.js';
import { resolveDeployment } from './deployment.js';
import { incomingOption } from './incoming-option.js';
import {
  callback,
  flag,
  type GivenOptions,
  group,
  LONGEST_TIMER_MS,
  number,
  type Option,
  option,
  type ResolvedOptions,
  text,
} from './option.js';

export const DEFAULT_SERVICE_URL = 'http://127.0.0.1:4100';

/** Everything `new Tracer` takes (SPEC 4.2). */
export const TRACER_OPTIONS = {
  /** API key of the account. If it is missing, empty or blank, tracing is off and one warning says so; nothing is thrown. */
  apiKey: option<string>({
    takes: 'a string',
    // A missing key never throws (SPEC 4.2), whatever is in its place.
    accepts: (value): value is string => value !== undefined,
    cure: 'Set TRACER_API_KEY.',
  }),
  /** Address of the service. `dacapo serve` listens on the default. */
  serviceUrl: option<string | URL, string>({
    takes: 'an http or https address',
    default: DEFAULT_SERVICE_URL,
    accepts: (value): value is string | URL => isBlank(value) || (isHttpAddress(value) && !hasUser(value)),
    problem: (value) =>
      isHttpAddress(value) && hasUser(value)
        ? 'must not contain a user or a password, because they are not used'
        : undefined,
    cure: `Write it like ${DEFAULT_SERVICE_URL}.`,
  }),
  /** Timeout in ms of each request to the service. */
  timeout: number({
    default: 120_000,
    unit: 'milliseconds',
    fraction: 'above',
    from: 0,
    to: LONGEST_TIMER_MS,
  }),
  /** Provider API keys for `call`, such as `{ OPENAI_API_KEY: '…' }`. They have no other use and are never sent to the service. */
  envVars: option<Readonly<Record<string, string>>>({
    takes: 'an object of strings',
    accepts: (value): value is Readonly<Record<string, string>> =>
      isObject(value) && Object.values(value).every((one) => typeof one === 'string'),
    problem: (value) => {
      const unset = isObject(value) && Object.entries(value).find(([, one]) => typeof one !== 'string');
      // The value may be a key, so the message omits it.
      if (!unset) return `must be an object of strings, not ${typeof value}`;
      return `must be an object of strings, and its ${unset[0]} is ${typeof unset[1]}`;
    },
    cure: "Write it like { OPENAI_API_KEY: '…' }, without keys that are not set.",
  }),
  /** `false` turns tracing off: nothing is recorded or sent. `call` and `indexes` still send requests to the service. */
  enabled: flag(true),
  /** Generated BAML client that `wrapFramework` uses when the call passes none. */
  frameworkClient: option<unknown>({
    takes: 'a client',
    accepts: (value): value is unknown => value !== undefined,
    cure: 'Pass the generated client.',
  }),
  /** What is recorded of values. */
  capture: group<CaptureOptions>('capture: { maxDepth: 20 }'),
  /** How the service is reached: proxy, certificates, agent. */
  connection: group<ConnectionOptions>("connection: { proxy: 'http://proxy.example.com:3128' }"),
  /** How records are sent. */
  delivery: group<DeliveryOptions>('delivery: { intervalMs: 500 }'),
  /** Share of traces to record. Decided when a trace starts; a continued trace follows its caller. */
  sampleRate: number({
    default: 1,
    fraction: 'from',
    from: 0,
    to: 1,
    cure: 'Write 0.1 to record one trace in ten.',
  }),
  /**
   * `true` also sends the traces that `sampleRate` skipped if a span in them ends with an error.
   *
   * All calls are then captured, at the cost of a `sampleRate` of 1, and held until the trace's open spans have ended.
   * At most 32 MiB are held; beyond that, the trace that has waited longest loses its held spans. A continued trace stays skipped if
   * its caller skipped it.
   */
  keepErrors: flag(false),
  /** Where the application runs, such as `production`. You can filter traces by it. */
  environment: deploymentText("environment: 'staging'", 'detected from environment variables'),
  /** Version of the application, such as a commit. You can filter traces by it. */
  release: deploymentText("release: '1.4.0'", 'detected from environment variables'),
  /**
   * What to do with an incoming `traceparent`. `link` starts a trace with a link to the caller's span, `continue` joins the
   * caller's trace and follows its sampling, `ignore` starts a trace without a link. A function decides by the headers.
   */
  incoming: incomingOption(),
  /** A span that is open this long is sent as `unfinished`, and again when it ends. */
  unfinishedAfterMs: number({ default: 600_000, unit: 'milliseconds', fraction: 'above', from: 0 }),
  /**
   * Memory limit for data of open spans.
   *
   * Beyond it, the oldest spans are sent early as `unfinished`. Their second record omits that data, and the service joins the two.
   */
  maxOpenBytes: number({ default: 32 * 1024 * 1024, unit: 'bytes', fraction: 'above', from: 0 }),
  /** Called with errors that must not reach the caller, at most once a minute per cause. */
  onError: callback<(error: TracerError) => void>('onError: (error) => …'),
  /** Where warnings go: `{ warn, debug? }`. */
  logger: option<TracerLogger, TracerLogger>({
    takes: 'an object with a method warn',
    default: consoleLogger,
    defaultText: '`console`',
    accepts: (value): value is TracerLogger =>
      isObject(value) && 'warn' in value && typeof value.warn === 'function',
    cure: 'Pass console, or { warn: (message) => … }.',
  }),
};

export type TracerOptions = GivenOptions<typeof TRACER_OPTIONS>;

export interface ResolvedTracerOptions extends Omit<
  ResolvedOptions<typeof TRACER_OPTIONS>,
  'apiKey' | 'serviceUrl' | 'timeout' | 'envVars' | 'connection'
> {
  /** Empty without a key. */
  readonly apiKey: string;
  /** Without a trailing slash. */
  readonly serviceUrl: string;
  readonly connection: ConnectionOptions;
  readonly timeoutMs: number;
  readonly envVars: Readonly<Record<string, string>>;
}

/**
 * Checks the options once and fills in the defaults.
 *
 * @throws InvalidOptionError when a value is invalid; never for a missing key (SPEC 4.2).
 */
export function resolveTracerOptions(
  options: TracerOptions,
  env: NodeJS.ProcessEnv = process.env,
): ResolvedTracerOptions {
  if (!isObject(options)) {
    const problem = `must be an object, not ${typeof options}`;
    throw new InvalidOptionError('options', problem, "Write it like new Tracer({ apiKey: '…' }).");
  }
  const { apiKey, serviceUrl, timeout, envVars, connection, environment, release, ...rest } = resolveOptions(
    '',
    TRACER_OPTIONS,
    options,
  );
  const address = new URL(isBlank(serviceUrl) ? DEFAULT_SERVICE_URL : serviceUrl).href.replace(/\/+$/, '');
  return {
    ...rest,
    ...resolveDeployment({ environment, release }, env),
    apiKey: checkedKey(apiKey),
    serviceUrl: address,
    connection: resolveOptions('connection.', CONNECTION_OPTIONS, connection ?? {}),
    timeoutMs: timeout,
    envVars: { ...envVars },
  };
}

/** A blank value counts as absent, for `environment: process.env.APP_ENV ?? ''`. */
function deploymentText(example: string, defaultText: string): Option<string> {
  return text({ blank: true, defaultText, cure: `Write it like ${example}.` });
}

/** @throws InvalidOptionError when the key has characters that a header cannot contain */
function checkedKey(apiKey: unknown): string {
  const key = typeof apiKey === 'string' ? apiKey.trim() : '';
  const invalid = /[^\x20-\x7e]/u.exec(key);
  if (invalid === null) return key;
  const code = (invalid[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  // The message omits the key.
  const problem = `has an invalid character at position ${invalid.index + 1} (U+${code})`;
  throw new InvalidOptionError(
    'apiKey',
    problem,
    'Copy the key again, without quotes, line breaks or ellipses.',
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

function hasUser(value: unknown): boolean {
  const { username, password } = new URL(String(value));
  return username !== '' || password !== '';
}

function isHttpAddress(value: unknown): boolean {
  const address = value instanceof URL ? value.href : value;
  return typeof address === 'string' && URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}
