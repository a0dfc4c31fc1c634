import type { FieldMeta } from '@dacapo/protocol';
import { type ByteString, decodeText, encodeText } from '../byte-string.js';

/** One value as it is sent. */
export class Captured {
  /**
   * @param utf8 JSON, always valid, never over the field's limit
   * @param meta what the JSON cannot say; `undefined` when it says it all
   * @param replayable whether the value can be made again from these two
   * @param rebuildable whether it can by one who has the classes that the notes name
   */
  constructor(
    readonly utf8: ByteString,
    readonly meta: FieldMeta | undefined,
    readonly replayable: boolean,
    readonly rebuildable = replayable,
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
