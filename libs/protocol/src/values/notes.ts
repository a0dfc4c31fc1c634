import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import type { FieldMeta } from '../records/span.js';

/** Classes of bytes, which are recorded as base64. */
const BYTE_CLASSES = [
  'Buffer',
  'ArrayBuffer',
  'SharedArrayBuffer',
  'DataView',
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'Float32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
] as const;
export type ByteClass = (typeof BYTE_CLASSES)[number];

/** Types whose note is their name alone. */
const NAMED_TYPES = ['-0', 'number', 'bigint'] as const;

/** Types of objects whose class may extend the type. */
type ExtendableType = 'Array' | 'Date' | 'URL' | 'URLSearchParams';

/** A masked number, boolean, list or object: its token is made from its JSON. */
export const MASKED_JSON = 'JSON';
/** A masked value that JSON alone does not describe: nothing tells whether another one equals it. */
export const MASKED_OTHER = 'other';

/** `subclass`: name of a class that extends the type. `hidden`: it has own properties or private fields that were not recorded. */
interface Extension {
  readonly subclass: string | undefined;
  readonly hidden: boolean;
}

/** What stands at one place of a recorded value, where its JSON cannot say it. `of` is the note on what it is made from. */
export type TypeNote =
  | { readonly type: (typeof NAMED_TYPES)[number] }
  /** `hidden`: it has data that was not recorded. Only such a plain object has the note `Object`. */
  | { readonly type: 'Object' | 'null-prototype'; readonly hidden: boolean }
  /** In an array one `null` may be a run of `count` of them. */
  | { readonly type: 'undefined' | 'hole'; readonly count: number }
  | (Extension & { readonly type: 'Array' })
  | (Extension & { readonly type: 'Date' | 'URL' | 'URLSearchParams' })
  | (Extension & { readonly type: 'RegExp'; readonly lastIndex: number })
  /** `isHead`: only the first bytes are here. */
  | (Extension & { readonly type: 'bytes'; readonly class: ByteClass; readonly isHead: boolean })
  /** `class`: of a subclass. */
  | { readonly type: 'Map' | 'Set'; readonly class: string | undefined; readonly hidden: boolean }
  /** `hidden`: its class has fields that nobody else can read. */
  | { readonly type: 'Error'; readonly class: string; readonly hidden: boolean }
  /** An object of a class without a codec, by its data. `methods`: its class does more than hold it. `hidden`: as of an error. */
  | { readonly type: 'class'; readonly class: string; readonly methods: boolean; readonly hidden: boolean }
  /** The answer of the object's `toJSON`. */
  | { readonly type: 'toJSON'; readonly class: string; readonly of: TypeNote | undefined }
  | { readonly type: 'codec'; readonly name: string; readonly of: TypeNote | undefined }
  /** A `new String`, `new Number` and the like. */
  | (Extension & { readonly type: 'boxed'; readonly of: TypeNote | undefined })
  /** `Symbol.for(key)`, or `Symbol[wellKnown]`. */
  | { readonly type: 'symbol'; readonly key: string }
  | { readonly type: 'symbol'; readonly wellKnown: string }
  /** `reason`: name of the platform's own reason. */
  | (Extension & {
      readonly type: 'AbortSignal';
      readonly aborted: boolean;
      readonly reason: string | undefined;
    })
  /** What a token stands for, where that was no string. */
  | { readonly type: 'masked'; readonly of: string }
  /** Only its name is recorded: a function, a promise, a handle. */
  | { readonly type: 'opaque'; readonly class: string }
  /** The same object as at another place: a Relative JSON Pointer. */
  | { readonly type: 'ref'; readonly to: string }
  /** Written by a version that knows more than this one. */
  | { readonly type: 'unknown'; readonly note: JsonValue };

/** How much of a value was left out. */
export interface Cut {
  /** What `size` and `kept` count; `depth`: nothing below that many levels is here. */
  readonly unit: 'bytes' | 'characters' | 'items' | 'properties' | 'depth' | 'unknown';
  /** Of the whole. */
  readonly size: number | undefined;
  /** From its beginning. */
  readonly kept: number | undefined;
  /** From its end: the last characters of a text, the last items of an array. 0 in recordings made before the upgrade. */
  readonly tail: number;
  /** Of the whole: see `hashOf`. */
  readonly sha256: string | undefined;
  /** HMAC-SHA-256 of the whole under the redaction secret, where the whole may hold a secret that a plain hash would let guess. */
  readonly hmac: string | undefined;
  /** What version 0.1 wrote for long values: equal hashes of samples prove nothing. */
  readonly sampledSha256: string | undefined;
}

/**
 * A note of `FieldMeta.types` as this version writes it; `readTypeNote` reads it. A type whose details are the usual ones is its
 * name alone.
 */
export type WireTypeNote =
  | (typeof NAMED_TYPES)[number]
  | ExtendableType
  | ByteClass
  | ('null-prototype' | 'undefined' | 'hole' | 'RegExp' | 'Map' | 'Set')
  | { readonly type: 'undefined' | 'hole'; readonly count: number }
  | { readonly type: 'Object' | 'null-prototype'; readonly hidden: true }
  | (WireExtension & { readonly type: ExtendableType | ByteClass | 'Map' | 'Set' })
  | (WireExtension & { readonly type: 'RegExp'; readonly lastIndex?: number })
  | (WireExtension & { readonly type: 'head'; readonly of: ByteClass })
  | { readonly type: 'opaque'; readonly class: string }
  | { readonly type: 'Error'; readonly class: string; readonly hidden?: true }
  | { readonly type: 'class'; readonly class: string; readonly methods?: true; readonly hidden?: true }
  | { readonly type: 'symbol'; readonly key: string }
  | { readonly type: 'symbol'; readonly wellKnown: string }
  | (WireExtension & { readonly type: 'AbortSignal'; readonly aborted: boolean; readonly reason?: string })
  | { readonly type: 'masked'; readonly of: string }
  | { readonly type: 'ref'; readonly to: string }
  | WireWrapperNote;

/** What the name of a platform type leaves open: a class that extends it, and that it has more than is recorded. */
export type WireExtension = { readonly class?: string; readonly hidden?: true };

/** On what is recorded by another value, which may have a note of its own: `of`. */
export type WireWrapperNote = { readonly of?: WireTypeNote } & (
  | { readonly type: 'toJSON'; readonly class: string }
  | { readonly type: 'codec'; readonly name: string }
  | (WireExtension & { readonly type: 'boxed' })
);

/** The hash of a whole value that was cut; keyed where the value may hold a secret. */
export type WireHash = { readonly sha256?: string; readonly hmac?: string };

/** A note of `FieldMeta.truncated` as this version writes it; `readCut` reads it. */
export type WireCut = WireHash &
  (
    | { readonly bytes: number; readonly kept: number; readonly tail?: number }
    | { readonly characters: number; readonly kept: number; readonly tail?: number }
    | { readonly items: number; readonly kept: number; readonly tail?: number }
    | { readonly properties: number; readonly kept: number }
    | { readonly depth: number }
  );

/** All notes of one field, each with the JSON Pointer of its place. */
export interface Notes {
  readonly types: readonly (readonly [pointer: string, note: TypeNote])[];
  readonly cuts: readonly (readonly [pointer: string, cut: Cut])[];
  readonly masked: readonly string[];
}

/** Reads what came over the wire: whatever has no shape that is known is passed over, or `unknown`. Never throws. */
export function readNotes(meta: FieldMeta | JsonValue | undefined): Notes {
  const { types, truncated, redacted } = isJsonObject(meta) ? meta : {};
  return {
    types: isJsonObject(types) ? Object.entries(types).map(([at, note]) => [at, readTypeNote(note)]) : [],
    cuts: isJsonObject(truncated) ? Object.entries(truncated).map(([at, note]) => [at, readCut(note)]) : [],
    masked: Array.isArray(redacted) ? redacted.filter((at) => typeof at === 'string') : [],
  };
}

/** Reads a note of `FieldMeta.types`. Never throws. */
export function readTypeNote(note: JsonValue): TypeNote {
  const unknown: TypeNote = { type: 'unknown', note };
  if (typeof note === 'string') return readNamed(note, {}) ?? unknown;
  if (!isJsonObject(note) || typeof note['type'] !== 'string') return unknown;
  return readNamed(note['type'], note) ?? readDetailed(note['type'], note) ?? unknown;
}

/** Types that stand as their name, some of which may have details beside it. */
function readNamed(type: string, note: JsonObject): TypeNote | undefined {
  switch (type) {
    case 'undefined':
    case 'hole':
      return { type, count: countOf(note['count']) ?? 1 };
    case 'RegExp':
      return { type, lastIndex: countOf(note['lastIndex']) ?? 0, ...readExtension(note) };
    case 'Array':
    case 'Date':
    case 'URL':
    case 'URLSearchParams':
      return { type, ...readExtension(note) };
    case 'Map':
    case 'Set':
      return { type, class: textOf(note['class']), hidden: note['hidden'] === true };
    case 'Object':
    case 'null-prototype':
      return { type, hidden: note['hidden'] === true };
  }
  const named = NAMED_TYPES.find((name) => name === type);
  if (named !== undefined) return { type: named };
  return readBytes(type, false, note);
}

function readExtension(note: JsonObject): Extension {
  return { subclass: textOf(note['class']), hidden: note['hidden'] === true };
}

function readDetailed(type: string, note: JsonObject): TypeNote | undefined {
  const className = textOf(note['class']) ?? '';
  const hidden = note['hidden'] === true;
  const of = (): TypeNote | undefined => (note['of'] === undefined ? undefined : readTypeNote(note['of']));
  switch (type) {
    case 'head':
      return readBytes(textOf(note['of']) ?? '', true, note);
    case 'masked':
      return { type, of: textOf(note['of']) ?? MASKED_OTHER };
    case 'opaque':
      return { type, class: className };
    case 'Error':
      return { type, class: className, hidden };
    case 'class':
      return { type, class: className, methods: note['methods'] === true, hidden };
    case 'toJSON':
      return { type, class: className, of: of() };
    case 'codec':
      return { type, name: textOf(note['name']) ?? '', of: of() };
    case 'boxed':
      return { type, of: of(), ...readExtension(note) };
    case 'AbortSignal':
      return {
        type,
        aborted: note['aborted'] === true,
        reason: textOf(note['reason']),
        ...readExtension(note),
      };
    case 'ref':
      return typeof note['to'] === 'string' ? { type, to: note['to'] } : undefined;
    case 'symbol':
      if (typeof note['key'] === 'string') return { type, key: note['key'] };
      return typeof note['wellKnown'] === 'string' ? { type, wellKnown: note['wellKnown'] } : undefined;
  }
  return undefined;
}

function readBytes(name: string, isHead: boolean, note: JsonObject): TypeNote | undefined {
  const found = BYTE_CLASSES.find((known) => known === name);
  return found && { type: 'bytes', class: found, isHead, ...readExtension(note) };
}

/** Reads a note of `FieldMeta.truncated`. Never throws. */
export function readCut(note: JsonValue): Cut {
  const fields = isJsonObject(note) ? note : {};
  const unit = (['bytes', 'characters', 'items', 'properties', 'depth'] as const).find(
    (name) => countOf(fields[name]) !== undefined,
  );
  return {
    unit: unit ?? 'unknown',
    size: unit && countOf(fields[unit]),
    kept: countOf(fields['kept']),
    tail: countOf(fields['tail']) ?? 0,
    sha256: textOf(fields['sha256']),
    hmac: textOf(fields['hmac']),
    sampledSha256: textOf(fields['sampled_sha256']),
  };
}

function countOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
