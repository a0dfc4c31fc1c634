import type { Blob } from 'node:buffer';
import type { FieldMeta } from '@dacapo/protocol';
import { type ByteString, decodeText, encodeText } from '../byte-string.js';

/** A file in a value whose bytes are not recorded yet. */
export interface NotReadFile {
  readonly pointer: string;
  readonly blob: Blob;
}

/** A captured value, ready to send. */
export class Captured {
  /**
   * @param utf8 valid JSON within the field's size limit
   * @param meta notes on what JSON cannot express; `undefined` if there are none
   * @param replayable whether the value can be restored from `utf8` and `meta`
   * @param rebuildable whether it can be restored with the classes that the notes name
   * @param notRead files whose bytes are still to be read; once they are, the value is replayable
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

  /** Size of the JSON in memory, in bytes. */
  get size(): number {
    return this.utf8.length;
  }

  /** The JSON as a string, created on each access. */
  get json(): string {
    return decodeText(this.utf8);
  }
}
