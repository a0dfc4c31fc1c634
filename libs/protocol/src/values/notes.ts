import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import type { FieldMeta } from '../records/span.js';

/** Binary classes, recorded as base64. */
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

/** Types whose note is only their name. */
const NAMED_TYPES = ['-0', 'number', 'bigint'] as const;

/** Types that a class may extend. */
type ExtendableType = 'Array' | 'Date' | 'URL' | 'URLSearchParams';

/** A masked number, boolean, list or object: its token is derived from its JSON. */
export const MASKED_JSON = 'JSON';
/** A masked value that JSON does not fully describe, so its token does not prove equality. */
export const MASKED_OTHER = 'other';

/** `subclass`: name of a class that extends the type. `hidden`: own properties or private fields were not recorded. */
interface Extension {
  readonly subclass: string | undefined;
  readonly hidden: boolean;
}

/** Type of one part of a recorded value, if its JSON does not show it. `of` is the note on the wrapped value. */
export type TypeNote =
  | { readonly type: (typeof NAMED_TYPES)[number] }
  /** `hidden`: it has unrecorded data. The note `Object` occurs only with `hidden`. */
  | { readonly type: 'Object' | 'null-prototype'; readonly hidden: boolean }
  /** In an array one `null` may represent a run of `count` items. */
  | { readonly type: 'undefined' | 'hole'; readonly count: number }
  | (Extension & { readonly type: 'Array' })
  | (Extension & { readonly type: 'Date' | 'URL' | 'URLSearchParams' })
  | (Extension & { readonly type: 'RegExp'; readonly lastIndex: number })
  /** `isHead`: only the first and the last bytes are recorded. */
  | (Extension & { readonly type: 'bytes'; readonly class: ByteClass; readonly isHead: boolean })
  /** `class`: name of a subclass. */
  | { readonly type: 'Map' | 'Set'; readonly class: string | undefined; readonly hidden: boolean }
  /** `hidden`: its class has private fields. */
  | { readonly type: 'Error'; readonly class: string; readonly hidden: boolean }
  /** Data of an object of a class without a codec. `methods`: its class has methods. `hidden`: its class has private fields. */
  | { readonly type: 'class'; readonly class: string; readonly methods: boolean; readonly hidden: boolean }
  /** The output of the object's `toJSON`. */
  | { readonly type: 'toJSON'; readonly class: string; readonly of: TypeNote | undefined }
  | { readonly type: 'codec'; readonly name: string; readonly of: TypeNote | undefined }
  /** A `new String`, `new Number` and the like. */
  | (Extension & { readonly type: 'boxed'; readonly of: TypeNote | undefined })
  /** `Symbol.for(key)`, or `Symbol[wellKnown]`. */
  | { readonly type: 'symbol'; readonly key: string }
  | { readonly type: 'symbol'; readonly wellKnown: string }
  /** `reason`: name of the platform's default reason. */
  | (Extension & {
      readonly type: 'AbortSignal';
      readonly aborted: boolean;
      readonly reason: string | undefined;
    })
  /** Type of a masked value that was not a string. */
  | { readonly type: 'masked'; readonly of: string }
  /** Only its name is recorded: a function, a promise, a handle. */
  | { readonly type: 'opaque'; readonly class: string }
  /** The same object as at another place, given by a Relative JSON Pointer. */
  | { readonly type: 'ref'; readonly to: string }
  /** Written by a version that knows more than this one. */
  | { readonly type: 'unknown'; readonly note: JsonValue };

/** Where the bytes of an image, a sound or a file are stored: see `MediaRecord`. */
export type MediaReference = {
  /** SHA-256 of the bytes. A text has its own hash, and the bytes are those that its base64 encodes. */
  readonly id: string;
  readonly type: string;
  /** Bytes. */
  readonly size: number;
};

/** How much of a value was cut off. */
export interface Cut {
  /** Unit of `size` and `kept`. `depth`: nothing below `size` levels is recorded. */
  readonly unit: 'bytes' | 'characters' | 'items' | 'properties' | 'depth' | 'unknown';
  /** Size of the whole value. */
  readonly size: number | undefined;
  /** Size of the recorded head. */
  readonly kept: number | undefined;
  /** Size of the recorded tail: the last characters, bytes, items or properties. 0 if only the beginning was kept. */
  readonly tail: number;
  /** Hash of the whole value, see `hashNode`. */
  readonly sha256: string | undefined;
  /** HMAC-SHA-256 of the whole value with the redaction secret, if a plain hash could reveal a secret. */
  readonly hmac: string | undefined;
  /** The service stores the whole value under this reference. */
  readonly media?: MediaReference | undefined;
  /** Written by version 0.1 for long values. Equal samples do not prove equal values. */
  readonly sampledSha256: string | undefined;
}

/**
 * A note of `FieldMeta.types` as written by this version and read by `readTypeNote`. A type with default details is only its
 * name.
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

/** Details of a platform type: a class that extends it, and whether it has unrecorded data. */
export type WireExtension = { readonly class?: string; readonly hidden?: true };

/** Note on a value that is recorded through another one, whose own note is `of`. */
export type WireWrapperNote = { readonly of?: WireTypeNote } & (
  | { readonly type: 'toJSON'; readonly class: string }
  | { readonly type: 'codec'; readonly name: string }
  | (WireExtension & { readonly type: 'boxed' })
);

/** The hash of a whole value that was cut, keyed if the value may hold a secret. */
export type WireHash = { readonly sha256?: string; readonly hmac?: string };

/** A note of `FieldMeta.truncated` as written by this version and read by `readCut`. */
export type WireCut = WireHash & { readonly media?: MediaReference } & (
    | { readonly bytes: number; readonly kept: number; readonly tail?: number }
    | { readonly characters: number; readonly kept: number; readonly tail?: number }
    | { readonly items: number; readonly kept: number; readonly tail?: number }
    | { readonly properties: number; readonly kept: number; readonly tail?: number }
    | { readonly depth: number }
  );

/** All notes of one field with their JSON Pointers. */
export interface Notes {
  readonly types: readonly (readonly [pointer: string, note: TypeNote])[];
  readonly cuts: readonly (readonly [pointer: string, cut: Cut])[];
  readonly masked: readonly string[];
}

/** Reads the notes of a record. Invalid notes are dropped or become `unknown`. Never throws. */
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

/** Types that may be written as their name only. */
function readNamed(type: string, note: JsonObject): TypeNote | undefined {
  switch (type) {
    case 'undefined':
    case 'hole':
      return { type, count: readCount(note['count']) ?? 1 };
    case 'RegExp':
      return { type, lastIndex: readCount(note['lastIndex']) ?? 0, ...readExtension(note) };
    case 'Array':
    case 'Date':
    case 'URL':
    case 'URLSearchParams':
      return { type, ...readExtension(note) };
    case 'Map':
    case 'Set':
      return { type, class: readText(note['class']), hidden: note['hidden'] === true };
    case 'Object':
    case 'null-prototype':
      return { type, hidden: note['hidden'] === true };
  }
  const named = NAMED_TYPES.find((name) => name === type);
  if (named !== undefined) return { type: named };
  return readBytes(type, false, note);
}

function readExtension(note: JsonObject): Extension {
  return { subclass: readText(note['class']), hidden: note['hidden'] === true };
}

function readDetailed(type: string, note: JsonObject): TypeNote | undefined {
  const className = readText(note['class']) ?? '';
  const hidden = note['hidden'] === true;
  const of = (): TypeNote | undefined => (note['of'] === undefined ? undefined : readTypeNote(note['of']));
  switch (type) {
    case 'head':
      return readBytes(readText(note['of']) ?? '', true, note);
    case 'masked':
      return { type, of: readText(note['of']) ?? MASKED_OTHER };
    case 'opaque':
      return { type, class: className };
    case 'Error':
      return { type, class: className, hidden };
    case 'class':
      return { type, class: className, methods: note['methods'] === true, hidden };
    case 'toJSON':
      return { type, class: className, of: of() };
    case 'codec':
      return { type, name: readText(note['name']) ?? '', of: of() };
    case 'boxed':
      return { type, of: of(), ...readExtension(note) };
    case 'AbortSignal':
      return {
        type,
        aborted: note['aborted'] === true,
        reason: readText(note['reason']),
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
    (name) => readCount(fields[name]) !== undefined,
  );
  return {
    unit: unit ?? 'unknown',
    size: unit && readCount(fields[unit]),
    kept: readCount(fields['kept']),
    tail: readCount(fields['tail']) ?? 0,
    sha256: readText(fields['sha256']),
    hmac: readText(fields['hmac']),
    media: readMedia(fields['media']),
    sampledSha256: readText(fields['sampled_sha256']),
  };
}

/** The media that a recorded value refers to, by JSON Pointer. */
export function mediaReferences(meta: FieldMeta | undefined): Map<string, MediaReference> {
  const references = new Map<string, MediaReference>();
  for (const [pointer, note] of Object.entries(meta?.truncated ?? {})) {
    const { media } = readCut(note);
    if (media !== undefined) references.set(pointer, media);
  }
  return references;
}

function readMedia(note: JsonValue | undefined): MediaReference | undefined {
  if (!isJsonObject(note)) return undefined;
  const [id, type, size] = [readText(note['id']), readText(note['type']), readCount(note['size'])];
  return id === undefined || type === undefined || size === undefined ? undefined : { id, type, size };
}

function readCount(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
}

function readText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
