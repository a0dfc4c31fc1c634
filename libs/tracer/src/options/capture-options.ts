import { LIMITS, PII_KINDS, type PiiKind } from '@dacapo/protocol';
import { resolveOptions } from './check-options.js';
import {
  callback,
  flag,
  type GivenOptions,
  number,
  type Option,
  option,
  type ResolvedOptions,
  text,
} from './option.js';

/** Maximum data of a line, without its notes, ids and times. */
export const LINE_DATA_BYTES = LIMITS.lineBytes - 1024 * 1024;

const DEFAULT_CURE = 'Omit it for the default.';

/** What is recorded of values, and how much. */
export const CAPTURE_OPTIONS = {
  /** `false` records no arguments. No call can then be replayed. */
  input: flag(true, DEFAULT_CURE),
  /** `false` records no results. */
  output: flag(true, DEFAULT_CURE),
  /**
   * `false` records the answer of a streamed model call without its chunks. A replay cannot answer such a call.
   */
  chunks: flag(true, DEFAULT_CURE),
  /**
   * `true` keeps all values in the process: arguments, results, prompts, contexts, metadata, and messages, stacks and properties of errors.
   * Names, types, times, sizes, session ids, usage, and names, classes and codes of errors are recorded. No call can be replayed.
   */
  metadataOnly: flag(false, DEFAULT_CURE),
  /** Size limit of one input, output or context in UTF-8. A longer value loses its middle, is marked as cut, and cannot be replayed. */
  maxFieldBytes: number({ default: 1024 * 1024, unit: 'bytes', from: 4096, to: LINE_DATA_BYTES }),
  /** How many levels of arrays and objects are recorded. */
  maxDepth: number({ default: 100, from: 1, to: 400 }),
  /** Size limit of a Buffer, typed array or ArrayBuffer. Of a longer one, both ends and a hash are recorded. */
  maxBinaryBytes: number({ default: 64 * 1024, unit: 'bytes', from: 0, to: 4 * 1024 * 1024 }),
  /**
   * Size limit of an image, a sound or a file: a `data:` URL, base64 or bytes from 4 KiB. The service stores it once, and values refer to
   * it. A larger one is recorded like any other text or bytes. 0 records all of them where they are.
   */
  maxMediaBytes: number({ default: 4 * 1024 * 1024, unit: 'bytes', from: 0, to: LIMITS.mediaBytes }),
  /** Codecs that record and restore your classes. */
  codecs: option<readonly Codec[], readonly Codec[]>({
    takes: 'a list of codecs',
    default: [],
    defaultText: 'none',
    accepts: (value): value is readonly Codec[] => findCodecProblem(value) === undefined,
    problem: findCodecProblem,
    cure: 'Write it like [{ name, recognise, encode, decode }], each with a name of its own.',
  }),
  /**
   * Property names to mask, in addition to the built-in ones (`password`, `apiKey`, `authorization`, …).
   * Case, `_` and `-` are ignored; a `RegExp` is matched against the exact name. `false` turns masking by name off.
   */
  redactKeys: listOrFalse('names or regular expressions', isNameOrPattern),
  /**
   * Patterns to mask inside strings, in addition to the built-in ones (bearer tokens, provider keys, JWTs, card numbers, …).
   * `false` turns masking by pattern off.
   */
  redactPatterns: listOrFalse('regular expressions', isPattern),
  /**
   * Kinds of personal data to mask in every text: `email`, `phone`, `card` and `iban` (with valid check digits), `ssn` of
   * the United States, `ip`. Names and postal addresses are not recognized.
   */
  pii: option<readonly PiiKind[], readonly PiiKind[]>({
    takes: `a list of ${PII_KINDS.map((kind) => `"${kind}"`).join(', ')}`,
    default: [],
    defaultText: 'none',
    accepts: (value): value is readonly PiiKind[] =>
      Array.isArray(value) && value.every((kind) => (PII_KINDS as readonly unknown[]).includes(kind)),
    cure: "Write it like ['email', 'phone'], or omit it.",
  }),
  /**
   * `(value, path) => value`: gets every value before it is written, with its JSON Pointer (`/0/user/email`), and
   * returns the value to record. If it throws, the whole field is masked. A promise or `undefined` masks the value.
   */
  redact: callback<(value: unknown, path: string) => unknown>('redact: (value, path) => value'),
  /**
   * Key of the hash behind `[redacted:…]` tokens. Processes with the same key write the same token for the same secret.
   * Without it, anyone who has the API key can find out short secrets (a PIN) by trying.
   */
  redactionSecret: text({
    cure: 'Omit it to derive it from the API key.',
    defaultText: 'from the API key',
  }),
};

export type CaptureOptions = GivenOptions<typeof CAPTURE_OPTIONS>;

export type ResolvedCaptureOptions = Omit<ResolvedOptions<typeof CAPTURE_OPTIONS>, 'redactionSecret'> & {
  /** A function, so that printing the options does not show the secret. */
  readonly redactionSecret: () => string;
};

/** Publicly known. Without a secret of their own, processes still write equal tokens for equal secrets. */
const PUBLIC_SECRET = 'dacapo redaction';

/** @throws InvalidOptionError for the first invalid option */
export function resolveCaptureOptions(options: CaptureOptions = {}): ResolvedCaptureOptions {
  const { redactionSecret, ...rest } = resolveOptions('capture.', CAPTURE_OPTIONS, options);
  const secret = redactionSecret ?? PUBLIC_SECRET;
  return { ...rest, redactionSecret: () => secret };
}

function findCodecProblem(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be a list';
  const list: readonly unknown[] = value;
  const names = new Set<string>();
  for (const codec of list) {
    if (!isCodec(codec)) return 'has an entry that is not a codec';
    if (names.has(codec.name)) return `names "${codec.name}" twice`;
    names.add(codec.name);
  }
  return undefined;
}

function isCodec(value: unknown): value is Codec {
  if (typeof value !== 'object' || value === null) return false;
  const { name, recognise, encode, decode }: Partial<Record<keyof Codec, unknown>> = value;
  return typeof name === 'string' && [recognise, encode, decode].every((part) => typeof part === 'function');
}

function listOrFalse<Item>(
  what: string,
  accepts: (item: unknown) => item is Item,
): Option<readonly Item[] | false, readonly Item[]> {
  return option({
    takes: `false or a list of ${what}`,
    default: [],
    defaultText: 'the built-in ones',
    accepts: (value): value is readonly Item[] | false =>
      value === false || (Array.isArray(value) && value.every(accepts)),
    cure: 'Omit it for only the built-in ones.',
  });
}

/** Also accepts a `RegExp` of another realm, such as one from a test runner. */
function isPattern(item: unknown): item is RegExp {
  return Object.prototype.toString.call(item) === '[object RegExp]';
}

function isNameOrPattern(item: unknown): item is string | RegExp {
  return (typeof item === 'string' && item !== '') || isPattern(item);
}

/**
 * Records and restores objects of one of your classes.
 *
 * Codecs run in order, before the built-in types, for every object that is neither plain nor an array. If a codec throws, it counts as
 * not matching, and the object's own data is recorded.
 */
export interface Codec<T extends object = object> {
  /** Recorded with the value. A replaying process needs a codec with the same name. */
  readonly name: string;
  /** Whether `value` is one of these. Runs for every object that is neither plain nor an array: keep it cheap. */
  recognise(value: object): boolean;
  /** The data to record. May contain everything that capture supports: dates, maps, other classes. */
  encode(value: T): unknown;
  /** Restores the object from the result of `encode`. */
  decode(encoded: unknown): T;
}
