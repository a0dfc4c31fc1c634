import type { FieldMeta } from '@dacapo/protocol';

/** One value as it is sent. */
export interface Captured {
  /** JSON, always valid, never over the field's limit. */
  readonly json: string;
  /** Memory that the JSON takes, in bytes. */
  readonly size: number;
  /** What the JSON cannot say; `undefined` when it says it all. */
  readonly meta: FieldMeta | undefined;
  /** Whether the value can be made again from these two. */
  readonly replayable: boolean;
}

/** A captured value that keeps the bytes of its JSON, and makes the text only for who asks. */
export class CapturedText implements Captured {
  /**
   * @param utf8 the bytes of the JSON's UTF-8, one character each: `buffer.write(utf8, at, 'latin1')` puts them on the
   * wire, `utf8.length` counts them. Text beyond ASCII costs a fraction this way of what decoding and encoding it does.
   * @param isAscii they are the JSON itself
   */
  constructor(
    readonly utf8: string,
    private readonly isAscii: boolean,
    readonly meta: FieldMeta | undefined,
    readonly replayable: boolean,
  ) {}

  static of(json: string, meta: FieldMeta | undefined, replayable: boolean): CapturedText {
    const utf8 = utf8Of(json);
    return new CapturedText(utf8, utf8.length === json.length, meta, replayable);
  }

  get size(): number {
    return this.utf8.length;
  }

  get json(): string {
    return this.isAscii ? this.utf8 : Buffer.from(this.utf8, 'latin1').toString('utf8');
  }
}

/** The bytes of a text's UTF-8, one character each; of ASCII that is the text. */
function utf8Of(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text, 'utf8').toString('latin1');
}
