import { LIMITS, PII_KINDS, type PiiKind } from '@dacapo/protocol';
import type { Codec } from '../capture/codec.js';
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

/** Data that one line holds beside its notes, ids and times. */
export const LINE_DATA_BYTES = LIMITS.lineBytes - 1024 * 1024;

const DEFAULT_CURE = 'Leave it out for the default.';

/** What is recorded of values, and how much. */
export const CAPTURE_OPTIONS = {
  /** `false`: arguments of calls are not recorded, and no call can be replayed. */
  input: flag(true, DEFAULT_CURE),
  /** `false`: results of calls are not recorded. */
  output: flag(true, DEFAULT_CURE),
  /**
   * `false`: of a streamed answer of a model only the message that it comes to is recorded, without its chunks. A replay cannot answer the
   * call.
   */
  chunks: flag(true, DEFAULT_CURE),
  /**
   * `true`: no value leaves the process. Arguments, results, prompts, contexts, metadata, messages, stacks and properties of errors are left out;
   * names, types, times, sizes, session ids, usage, names, classes and codes of errors are recorded. No call can be replayed.
   */
  metadataOnly: flag(false, DEFAULT_CURE),
  /** UTF-8 that one input, output or context may take. A longer value is cut in its middle, noted and not replayable. */
  maxFieldBytes: number({ default: 1024 * 1024, unit: 'bytes', from: 4096, to: LINE_DATA_BYTES }),
  /** Levels of arrays and objects that are followed. */
  maxDepth: number({ default: 100, from: 1, to: 400 }),
  /** Size of a Buffer, typed array or ArrayBuffer that is kept whole. A longer one leaves its head and a hash. */
  maxBinaryBytes: number({ default: 64 * 1024, unit: 'bytes', from: 0, to: 4 * 1024 * 1024 }),
  /** Classes of yours that come back as themselves. */
  codecs: option<readonly Codec[], readonly Codec[]>({
    takes: 'a list of codecs',
    default: [],
    defaultText: 'none',
    accepts: (value): value is readonly Codec[] => problemOfCodecs(value) === undefined,
    problem: problemOfCodecs,
    cure: 'Write it like [{ name, recognise, encode, decode }], each with a name of its own.',
  }),
  /**
   * Names of properties whose values are masked, beside the built-in ones (`password`, `apiKey`, `authorization`, …).
   * Case, `_` and `-` do not count; a `RegExp` is tried on the name as it is. `false` masks none by name.
   */
  redactKeys: listOrFalse('names or regular expressions', isNameOrPattern),
  /**
   * Texts that are masked inside strings, beside the built-in ones (bearer tokens, provider keys, JWTs, card numbers, …).
   * `false` masks none by pattern.
   */
  redactPatterns: listOrFalse('regular expressions', isPattern),
  /**
   * Kinds of personal data that are masked in every text: `email`, `phone`, `card` (by check digit), `iban` (by check digits), `ssn` of
   * the United States, `ip`. Names and postal addresses are not recognised.
   */
  pii: option<readonly PiiKind[], readonly PiiKind[]>({
    takes: `a list of ${PII_KINDS.map((kind) => `"${kind}"`).join(', ')}`,
    default: [],
    defaultText: 'none',
    accepts: (value): value is readonly PiiKind[] =>
      Array.isArray(value) && value.every((kind) => (PII_KINDS as readonly unknown[]).includes(kind)),
    cure: "Write it like ['email', 'phone'], or leave it out.",
  }),
  /**
   * `(value, path) => value`: sees every value of a record before it is written, with its JSON Pointer (`/0/user/email`), and
   * returns what is recorded instead. Throwing masks the whole field; returning a promise or `undefined` masks the value.
   */
  redact: callback<(value: unknown, path: string) => unknown>('redact: (value, path) => value'),
  /**
   * A secret of your application's own: the key of the hash behind `[redacted:…]` tokens. Processes that share it write the same
   * token for the same secret. Without one, whoever holds the API key can try out which short secret (a PIN) a token is of.
   */
  redactionSecret: text({
    cure: 'Leave it out to derive it from the API key.',
    defaultText: 'from the API key',
  }),
};

export type CaptureOptions = GivenOptions<typeof CAPTURE_OPTIONS>;

export type ResolvedCaptureOptions = Omit<ResolvedOptions<typeof CAPTURE_OPTIONS>, 'redactionSecret'> & {
  /** Not the text itself: options are printed with what holds them. */
  readonly redactionSecret: () => string;
};

/** Known to everyone: a process without a secret of its own still writes tokens that join. */
const PUBLIC_SECRET = 'dacapo redaction';

/** @throws InvalidOptionError naming the first option that cannot work. */
export function resolveCaptureOptions(given: CaptureOptions = {}): ResolvedCaptureOptions {
  const { redactionSecret, ...rest } = resolveOptions('capture.', CAPTURE_OPTIONS, given);
  const secret = redactionSecret ?? PUBLIC_SECRET;
  return { ...rest, redactionSecret: () => secret };
}

function problemOfCodecs(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be a list';
  const list: readonly unknown[] = value;
  const names = new Set<string>();
  for (const codec of list) {
    if (!isCodec(codec)) return 'holds something that is no codec';
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
    cure: 'Leave it out for the built-in ones alone.',
  });
}

/** One of another realm too, as a test runner makes them. */
function isPattern(item: unknown): item is RegExp {
  return Object.prototype.toString.call(item) === '[object RegExp]';
}

function isNameOrPattern(item: unknown): item is string | RegExp {
  return (typeof item === 'string' && item !== '') || isPattern(item);
}
