import type { MediaReference, WireCut, WireHash, WireTypeNote, WireWrapperNote } from '@dacapo/protocol';
import type { Blob } from 'node:buffer';
import type { ResolvedCaptureOptions } from '../../options/capture-options.js';

/** What an object is recorded by: the answer of its `toJSON`, what a codec made of it, what a box holds. */
export interface StandIn {
  readonly value: unknown;
  readonly note: WireWrapperNote;
}

/** The stand-ins of one field; `undefined`: the object has none of the kind. All that walk the field have the same. */
export interface StandIns {
  readonly codec: Map<object, StandIn | undefined>;
  readonly toJSON: Map<object, StandIn | undefined>;
}

/** What a writer of one type family may do to the record that is being made. `node` is the object it writes. */
export interface Walk {
  readonly options: ResolvedCaptureOptions;
  /** Bytes that may still be written. */
  readonly room: number;
  /** Says what stands here, beside the text. */
  note(node: number, note: WireTypeNote): void;
  /** Says that what stands here is only a part. */
  cut(node: number, note: WireCut): void;
  /** The hash of bytes, for the note on their cut; none once the field has spent what it may on hashes. */
  hashBytes(bytes: Buffer, maySecretsHide: boolean): WireHash;
  /** Whether there is a secret in bytes that are a text; of very many, around their ends. */
  isSecretInside(bytes: Buffer): boolean;
  /** Takes bytes that are media; `undefined`: they are written here. */
  takeMedia(bytes: Buffer, isText: boolean): MediaReference | undefined;
  /** Says that what stands here is the beginning of media. */
  refer(node: number, note: WireCut): void;
  /** What stands here cannot be made again. */
  lost(): void;
  /** What stands here can be made again once the bytes of this file are read. */
  notRead(node: number, blob: Blob): void;
  /** What stands here is all the data of an object of a class, without what its methods do. */
  lostMethods(): void;
  /** Appends JSON that is all ASCII. */
  json(text: string): void;
  /** Appends a string, or its head when there is no room for all of it. */
  string(text: string, node: number): void;
  /** Appends a label in place of a value that is only named: `[Promise]`. */
  label(text: string): void;
  /** Appends an array of these values, as far as there is room; `total` is how many there are with those that are not listed. */
  list(values: readonly unknown[], total: number, node: number): void;
  /** Appends an array of pairs, each an array of one of these keys and its value. */
  pairs(keys: readonly unknown[], getValue: (key: unknown) => unknown, total: number, node: number): void;
  /** Appends an object of these properties and then of the own data of `rest`, without what is left out. */
  record(
    properties: Iterable<readonly [string, unknown]>,
    rest: object | undefined,
    node: number,
    leftOut?: ReadonlySet<string>,
  ): void;
  /** Tells of bytes that may be a text, in which there may be a secret. */
  meetsTextBytes(): void;
  /**
   * What `make` answers for this object, which runs once for a field, wherever the object is met and however often it is
   * written: code of the host may answer otherwise the next time.
   */
  findStandIn(value: object, by: keyof StandIns, make: () => StandIn | undefined): StandIn | undefined;
  /** Appends the value that takes the place of this one, and the note on it. */
  standIn(standIn: StandIn, node: number): void;
}

/** Writes `value` when it is of the writer's family; `false` when it is not, and then writes nothing. */
export type ValueWriter = (value: object, node: number, walk: Walk) => boolean;

export interface RareValue {
  /** What stands in the text, a string. */
  readonly text: string;
  readonly note: WireTypeNote;
  /** It cannot be made again. */
  readonly lost: boolean;
}
