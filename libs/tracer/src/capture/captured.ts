import type { Blob } from 'node:buffer';
import type { FieldMeta } from '@dacapo/protocol';
import { type ByteString, decodeText, encodeText } from '../byte-string.js';

/** A file in a value whose bytes are not recorded yet. */
export interface NotReadFile {
  readonly pointer: string;
  readonly blob: Blob;
}

/** One value as it is sent. */
export class Captured {
  /**
   * @param utf8 JSON, always valid, never over the field's limit
   * @param meta what the JSON cannot say; `undefined` when it says it all
   * @param replayable whether the value can be made again from these two
   * @param rebuildable whether it can by one who has the classes that the notes name
   * @param notRead absent: there are none. If there are, the value is replayable once they are read
   */
  constructor(
    readonly utf8: ByteString,
    readonly meta: FieldMeta | undefined,
    readonly replayable: boolean,
    readonly rebuildable = replayable,
    readonly notRead?: readonly NotReadFile[],
  ) {}

  static of(
    json: string,
    meta: FieldMeta | undefined,
    replayable: boolean,
    rebuildable = replayable,
  ): Captured {
    return new Captured(encodeText(json), meta, replayable, rebuildable);
  }

  /** Memory that the JSON takes, in bytes. */
  get size(): number {
    return this.utf8.length;
  }

  /** The JSON as text, made for who asks. */
  get json(): string {
    return decodeText(this.utf8);
  }
}
