import type { MediaReference, WireCut, WireHash, WireTypeNote, WireWrapperNote } from '@dacapo/protocol';
import type { Blob } from 'node:buffer';
import type { ResolvedCaptureOptions } from '../../options/capture-options.js';

/** The value that replaces an object: the result of its `toJSON` or of a codec, or the content of a box. */
export interface StandIn {
  readonly value: unknown;
  readonly note: WireWrapperNote;
}

/** The replacements of one field, shared by all its walks. `undefined` means that the object has none. */
export interface StandIns {
  readonly codec: Map<object, StandIn | undefined>;
  readonly toJSON: Map<object, StandIn | undefined>;
}

/** The operations that a writer of one type family may use. `node` is the object that it writes. */
export interface Walk {
  readonly options: ResolvedCaptureOptions;
  /** Remaining room in bytes. */
  readonly room: number;
  /** Notes the type of the value at this place. */
  note(node: number, note: WireTypeNote): void;
  /** Notes that the value at this place is only a part. */
  cut(node: number, note: WireCut): void;
  /** Hashes bytes for the note on their cut; returns no hash after the field's limit for hashing. */
  hashBytes(bytes: Buffer, maySecretsHide: boolean): WireHash;
  /** Whether bytes of a text contain a secret; of very many bytes, only the ends are searched. */
  isSecretInside(bytes: Buffer): boolean;
  /** Stores media separately and returns a reference; `undefined` if they must be written inline. */
  takeMedia(bytes: Buffer, isText: boolean): MediaReference | undefined;
  /** Notes that the value at this place is the beginning of media. */
  refer(node: number, note: WireCut): void;
  /** Notes that the value at this place cannot be restored. */
  lost(): void;
  /** Notes that the value at this place can be restored once the bytes of this file are read. */
  notRead(node: number, blob: Blob): void;
  /** Notes that the value at this place is the complete data of a class instance, without its methods. */
  lostMethods(): void;
  /** Appends ASCII JSON. */
  json(text: string): void;
  /** Appends a string, or its head if it does not fit. */
  string(text: string, node: number): void;
  /** Appends a label in place of a value that is only named: `[Promise]`. */
  label(text: string): void;
  /** Appends an array of these values, up to the remaining room. `total` includes values that are not listed. */
  list(values: readonly unknown[], total: number, node: number): void;
  /** Appends an array of pairs, each an array of one of these keys and its value. */
  pairs(keys: readonly unknown[], getValue: (key: unknown) => unknown, total: number, node: number): void;
  /** Appends an object with these properties, then the own data of `rest` except the excluded properties. */
  record(
    properties: Iterable<readonly [string, unknown]>,
    rest: object | undefined,
    node: number,
    leftOut?: ReadonlySet<string>,
  ): void;
  /** Notes bytes that may be a text, which may contain a secret. */
  meetsTextBytes(): void;
  /**
   * Returns the result of `make` for this object. `make` runs once per field and object, because application code may return another
   * result the next time.
   */
  findStandIn(value: object, by: keyof StandIns, make: () => StandIn | undefined): StandIn | undefined;
  /** Appends the value that replaces this one, and its note. */
  standIn(standIn: StandIn, node: number): void;
}

/** Writes `value` if it belongs to the writer's family; otherwise writes nothing and returns `false`. */
export type ValueWriter = (value: object, node: number, walk: Walk) => boolean;

export interface RareValue {
  /** The string in the text. */
  readonly text: string;
  readonly note: WireTypeNote;
  /** Whether it cannot be restored. */
  readonly lost: boolean;
}
