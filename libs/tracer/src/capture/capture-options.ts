import { LIMITS } from '@dacapo/protocol';
import { InvalidOptionError } from '../errors.js';
import { refuseUnknownOptions } from '../option-names.js';
import type { Codec } from './codec.js';

/** What is recorded of values, and how much. Every field has a default that suits production. */
export interface CaptureOptions {
  /** Record the arguments of calls. Default `true`. */
  readonly input?: boolean;
  /** Record the results of calls. Default `true`. */
  readonly output?: boolean;
  /** Bytes of UTF-8 that one input, output or context may take; what is over is cut, noted and not replayable. Default 1 MiB, from 4096 to 7 MiB. */
  readonly maxFieldBytes?: number;
  /** Levels of arrays and objects that are followed. Default 100, from 1 to 400. */
  readonly maxDepth?: number;
  /** Bytes of a Buffer, typed array or ArrayBuffer that are kept whole. Default 64 KiB; a longer one leaves its head and a hash. */
  readonly maxBinaryBytes?: number;
  /** Classes of yours that come back as themselves. Default none. */
  readonly codecs?: readonly Codec[];
  /**
   * Names of properties whose values are replaced, beside the built-in ones (`password`, `apiKey`, `authorization`, …).
   * Case, `_` and `-` do not count; a `RegExp` is tried on the name as it stands. `false` turns name redaction off.
   */
  readonly redactKeys?: readonly (string | RegExp)[] | false;
  /**
   * Texts that are replaced inside strings, beside the built-in ones (bearer tokens, provider keys, JWTs, card numbers, …).
   * `false` turns pattern redaction off.
   */
  readonly redactPatterns?: readonly RegExp[] | false;
  /**
   * Sees every value of a record that is about to be written, with its JSON Pointer (`/0/user/email`); what it returns
   * stands instead. Throwing, or returning a promise or `undefined`, masks: the whole field, or the value.
   */
  readonly redact?: (value: unknown, path: string) => unknown;
  /**
   * Key of the hash behind `[redacted:…]` tokens. Processes that share it write the same token for the same secret.
   * Default: the tracer passes one derived from its API key.
   */
  readonly redactionSalt?: string;
}

export interface ResolvedCaptureOptions {
  readonly input: boolean;
  readonly output: boolean;
  readonly maxFieldBytes: number;
  readonly maxDepth: number;
  readonly maxBinaryBytes: number;
  readonly codecs: readonly Codec[];
  readonly redactKeys: readonly (string | RegExp)[] | false;
  readonly redactPatterns: readonly RegExp[] | false;
  readonly redact: ((value: unknown, path: string) => unknown) | undefined;
  readonly redactionSalt: string;
}

const NAMES = {
  input: true,
  output: true,
  maxFieldBytes: true,
  maxDepth: true,
  maxBinaryBytes: true,
  codecs: true,
  redactKeys: true,
  redactPatterns: true,
  redact: true,
  redactionSalt: true,
} satisfies Record<keyof CaptureOptions, true>;

/** Data that one line holds beside its notes, ids and times. */
export const LINE_DATA_BYTES = LIMITS.lineBytes - 1024 * 1024;

/** @throws InvalidOptionError naming the first option that cannot work. */
export function resolveCaptureOptions(options: CaptureOptions = {}): ResolvedCaptureOptions {
  refuseUnknownOptions('capture.', options, Object.keys(NAMES));
  return {
    input: flag('input', options.input, true),
    output: flag('output', options.output, true),
    maxFieldBytes: wholeNumber('maxFieldBytes', options.maxFieldBytes, 1024 * 1024, 4096, LINE_DATA_BYTES),
    maxDepth: wholeNumber('maxDepth', options.maxDepth, 100, 1, 400),
    maxBinaryBytes: wholeNumber('maxBinaryBytes', options.maxBinaryBytes, 64 * 1024, 0, 4 * 1024 * 1024),
    codecs: codecs(options.codecs ?? []),
    redactKeys: listOrFalse(
      'redactKeys',
      options.redactKeys,
      isNameOrPattern,
      'names or regular expressions',
    ),
    redactPatterns: listOrFalse('redactPatterns', options.redactPatterns, isPattern, 'regular expressions'),
    redact: hook(options.redact),
    redactionSalt: salt(options.redactionSalt),
  };
}

function flag(name: string, value: boolean | undefined, otherwise: boolean): boolean {
  if (value === undefined) return otherwise;
  if (typeof value !== 'boolean')
    throw invalid(name, 'must be true or false', 'Leave it out for the default.');
  return value;
}

function wholeNumber(
  name: string,
  value: number | undefined,
  otherwise: number,
  min: number,
  max: number,
): number {
  if (value === undefined) return otherwise;
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw invalid(
    name,
    `must be a whole number from ${min} to ${max}, not ${String(value)}`,
    `Leave it out for ${otherwise}.`,
  );
}

function codecs(list: readonly Codec[]): readonly Codec[] {
  if (!isList(list)) {
    throw invalid('codecs', 'must be a list', 'Write it like [{ name, recognise, encode, decode }].');
  }
  const names = new Set<string>();
  for (const codec of list) {
    if (!isCodec(codec)) {
      throw invalid(
        'codecs',
        'holds something that is no codec',
        'Give each one name, recognise, encode and decode.',
      );
    }
    if (names.has(codec.name))
      throw invalid('codecs', `names "${codec.name}" twice`, 'Give each codec its own name.');
    names.add(codec.name);
  }
  return [...list];
}

function isCodec(codec: Partial<Codec> | null | undefined): codec is Codec {
  const { name, recognise, encode, decode } = codec ?? {};
  return typeof name === 'string' && [recognise, encode, decode].every((part) => typeof part === 'function');
}

function listOrFalse<T>(
  name: string,
  value: readonly T[] | false | undefined,
  accepts: (item: unknown) => boolean,
  what: string,
): readonly T[] | false {
  if (value === undefined) return [];
  if (value === false) return false;
  if (isList(value) && value.every(accepts)) return [...value];
  throw invalid(name, `must be false or a list of ${what}`, 'Leave it out for the built-in ones alone.');
}

function isList(value: unknown): boolean {
  return Array.isArray(value);
}

function isPattern(item: unknown): boolean {
  return Object.prototype.toString.call(item) === '[object RegExp]';
}

function isNameOrPattern(item: unknown): boolean {
  return (typeof item === 'string' && item !== '') || isPattern(item);
}

function hook(redact: ResolvedCaptureOptions['redact']): ResolvedCaptureOptions['redact'] {
  if (redact === undefined || typeof redact === 'function') return redact;
  throw invalid(
    'redact',
    'must be a function (value, path) => value',
    'Leave it out for the built-in redaction alone.',
  );
}

/** Known to everyone: a process without a salt of its own still writes tokens that join. */
const PUBLIC_SALT = 'dacapo redaction';

function salt(value: string | undefined): string {
  if (value === undefined) return PUBLIC_SALT;
  if (typeof value === 'string' && value !== '') return value;
  throw invalid(
    'redactionSalt',
    'must be a text that is not empty',
    'Leave it out to derive it from the API key.',
  );
}

function invalid(name: string, problem: string, cure: string): InvalidOptionError {
  return new InvalidOptionError(`capture.${name}`, problem, cure);
}
