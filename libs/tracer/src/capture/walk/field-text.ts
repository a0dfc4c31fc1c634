import {
  type FieldMeta,
  type MediaReference,
  pointerTo,
  type WireCut,
  type WireHash,
  type WireTypeNote,
  SHORTEST_SECRET as SHORTEST,
} from '@dacapo/protocol';
import type { Blob } from 'node:buffer';
import { sha256 } from '../../hashing.js';
import type { NotReadFile } from '../captured.js';
import { detectType, LEAST_MEDIA, mayBeText, readMediaText, textReference } from '../media/read-media.js';
import { FieldNotes } from './field-notes.js';
import { JsonBytes } from './json-bytes.js';
import { cutText, MARGIN } from './cut-text.js';
import { isWellFormed } from './string-chunks.js';
import { VisitedObjects } from './visited-objects.js';
import type { RareValue } from './walk.js';

/** Bytes reserved for brackets, labels and the heads of cut values. */
const RESERVE = 2048;
/** Strings up to this length are always written; if they exceed the room, no further entry starts. */
const SHORT_STRING = 64;
/** Limit per field for hashed bytes and characters, about 5 ms. Later cuts have no hash. */
const HASHED_BYTES = 8 * 1024 * 1024;
/** Longer strings leave a part of the room to the entries after them. */
const LONG_TEXT = 4096;
const NEIGHBOURS_SHARE = 32;
/** Maximum size of a note on a cut, without its pointer. */
export const CUT_NOTE_BYTES = 160;

/** Shorter texts contain no secret, unless their name indicates one. A local constant, because it is read for each text. */
export const SHORTEST_SECRET = SHORTEST;

/** Detects and masks secrets. */
export interface Secrets {
  /** Masks the secrets in a text. Returns the same text if there are none. */
  maskText(text: string): string;
  /** Hashes with the redaction secret as key. */
  keyedHash(data: string | Uint8Array): string;
  /** Whether a hook in the options may mask any value. */
  readonly isAnythingSecret: boolean;
  /** Whether long texts are masked before they are written, so that their JSON need not be searched. */
  readonly masksLongTexts: boolean;
  /** Whether a text with this property name is masked as a whole. */
  isSecretText(name: string, text: string): boolean;
}

/** A place to rewind to. */
export interface Mark {
  readonly length: number;
  readonly notes: number;
  readonly noted: number;
  readonly nodes: number;
  readonly hashable: number;
  readonly methodsLost: number;
}

/** The growing text of one record field, its notes, and the remaining room. */
export abstract class FieldText {
  readonly out = new JsonBytes();
  private noteList: FieldNotes | undefined;
  /** `false` after a value was written that cannot be restored. */
  replayable = true;
  /** `true` while nothing is missing except methods of objects with complete data. */
  rebuildable = true;

  /** Files whose bytes must be read; absent without any. */
  notReadFiles: NotReadFile[] | undefined;

  /** Number of objects that were recorded without their methods. */
  protected methodsLost = 0;
  protected readonly visited = new VisitedObjects();
  /** Size of the notes in bytes. */
  protected noted = 0;
  /** Whether a value is being repeated. Its notes exist already. */
  protected repeating = false;
  protected repetitionWasCut = false;
  private wasCut = false;
  protected limit: number;
  /** `false` writes long texts unmasked. */
  masksLongTexts: boolean;
  /** The masked forms of long texts, as written. */
  readonly maskedTexts = new Set<string>();
  private hashable = HASHED_BYTES;
  /** Bytes that were written and removed again to keep the ends of containers. */
  protected rewritten = 0;
  /** Size limit of media that are stored separately from the text; 0 stores all media inline. */
  mediaLimit = 0;
  /** Media that the text references, by SHA-256. */
  readonly media = new Map<string, { readonly type: string; readonly bytes: Buffer }>();

  constructor(
    protected readonly maxFieldBytes: number,
    protected readonly secrets: Secrets,
  ) {
    this.limit = maxFieldBytes - RESERVE;
    this.masksLongTexts = secrets.masksLongTexts;
  }

  /** Releases the written text and its notes. */
  close(): void {
    this.out.close();
    // `clear` makes a new table each time.
    if (this.maskedTexts.size > 0) this.maskedTexts.clear();
    if (this.media.size > 0) this.media.clear();
    this.noteList = undefined;
    this.replayable = this.rebuildable = true;
    this.notReadFiles = undefined;
    this.methodsLost = 0;
    this.visited.clear();
    this.noted = 0;
    this.hashable = HASHED_BYTES;
    this.rewritten = 0;
    this.repeating = this.repetitionWasCut = this.wasCut = false;
    this.limit = this.maxFieldBytes - RESERVE;
  }

  /** The notes; `undefined` without any. */
  get meta(): FieldMeta | undefined {
    return this.noteList?.toMeta();
  }

  get notes(): FieldNotes {
    return (this.noteList ??= new FieldNotes());
  }

  /** Whether nothing was cut. */
  get isWhole(): boolean {
    return !this.wasCut;
  }

  hashBytes(whole: Uint8Array | string, maySecretsHide: boolean): WireHash {
    this.hashable -= whole.length;
    if (this.hashable < 0 || this.repeating) return {};
    // Half of a surrogate pair has no place in UTF-8: such a text is hashed by its canonical form.
    const bytes =
      typeof whole === 'string' ? Buffer.from(isWellFormed(whole) ? whole : JSON.stringify(whole)) : whole;
    const { secrets } = this;
    // Who knows the rest of a text could try out its secret until a plain hash fits.
    return maySecretsHide || secrets.isAnythingSecret
      ? { hmac: secrets.keyedHash(bytes) }
      : { sha256: sha256(bytes) };
  }

  isSecretInside(bytes: Buffer): boolean {
    const isLarge = bytes.length > HASHED_BYTES;
    const texts = isLarge ? [bytes.subarray(0, MARGIN), bytes.subarray(-MARGIN)] : [bytes];
    return texts.map((text) => text.toString('latin1')).some((text) => this.secrets.maskText(text) !== text);
  }

  /** Call it before the first value. */
  open(): void {
    this.out.open();
  }

  get room(): number {
    return this.limit - this.out.length - this.noted;
  }

  protected mark(): Mark {
    const { out, noteList, noted, visited, hashable, methodsLost } = this;
    return {
      length: out.length,
      notes: noteList?.count ?? 0,
      noted,
      nodes: visited.count,
      hashable,
      methodsLost,
    };
  }

  /** Removes the text, notes and visited objects since the mark. */
  protected rewind({ length, notes, noted, nodes, hashable, methodsLost }: Mark): void {
    this.visited.forgetFrom(nodes);
    this.noteList?.rewind(notes);
    this.out.truncate(length);
    this.noted = noted;
    this.hashable = hashable;
    this.methodsLost = methodsLost;
  }

  /** Size of text and notes since the mark, in bytes. */
  protected sizeSince({ length, noted }: Mark): number {
    return this.out.length - length + this.noted - noted;
  }

  lost(): void {
    if (!this.repeating) this.replayable = this.rebuildable = false;
  }

  notRead(node: number, blob: Blob): void {
    if (!this.repeating) (this.notReadFiles ??= []).push({ pointer: this.visited.pointer(node), blob });
  }

  lostMethods(): void {
    if (this.repeating) return;
    this.methodsLost++;
    this.replayable = false;
  }

  note(node: number, note: WireTypeNote): void {
    if (!this.repeating) this.noted += this.notes.addType(this.visited.pointer(node), note);
  }

  cut(node: number, note: WireCut): void {
    this.cutAt(this.visited.pointer(node), note);
  }

  json(text: string): void {
    if (text.length > LONG_TEXT) this.out.copy(Buffer.from(text, 'latin1'));
    else this.out.ascii(text);
  }

  string(text: string, node: number): void {
    this.writeString(text, this.visited.holder(node), this.visited.key(node));
  }

  label(text: string): void {
    this.out.string(`[${text}]`, Infinity);
  }

  protected pointerAt(holder: number, key: string | number): string {
    return holder < 0 ? '' : pointerTo(this.visited.pointer(holder), key);
  }

  protected noteAt(holder: number, key: string | number, note: WireTypeNote): void {
    if (!this.repeating) this.noted += this.notes.addType(this.pointerAt(holder, key), note);
  }

  protected writeRare(value: RareValue, holder: number, key: string | number): void {
    this.out.string(value.text, Infinity);
    this.noteAt(holder, key, value.note);
    if (value.lost) this.lost();
  }

  protected writeString(value: string, holder: number, key: string | number): void {
    if (value.length > LONG_TEXT) {
      this.writeLong(value, holder, key);
    } else if (!this.out.string(value, value.length <= SHORT_STRING ? Infinity : this.limit - this.noted)) {
      this.writeCut(value, holder, key, (text) => this.secrets.maskText(text));
    }
  }

  /** Stores the bytes of an image, a sound or a file separately and returns a reference; `undefined` if they must be written inline. */
  takeMedia(bytes: Buffer, isText: boolean, type = detectType(bytes)): MediaReference | undefined {
    if (bytes.length > this.mediaLimit || bytes.length < LEAST_MEDIA || this.hashable < bytes.length)
      return undefined;
    if (isText && mayBeText(bytes, type)) {
      const text = bytes.toString('latin1');
      if (this.secrets.maskText(text) !== text) return undefined;
    }
    this.hashable -= bytes.length;
    const id = sha256(bytes);
    // Copied, because the application may change its bytes.
    if (!this.media.has(id)) this.media.set(id, { type, bytes: Buffer.from(bytes) });
    return { id, type, size: bytes.length };
  }

  private writeMedia(value: string, holder: number, key: string | number): boolean {
    if (value.length > this.mediaLimit * 2) return false;
    const found = readMediaText(value);
    const media = found && this.takeMedia(found.bytes, true, found.type);
    if (found === undefined || media === undefined) return false;
    const { text, cut } = textReference(value, found.shown, media);
    this.referAt(this.pointerAt(holder, key), cut);
    this.maskedTexts.add(text);
    this.out.string(text, Infinity, true);
    return true;
  }

  private writeLong(value: string, holder: number, key: string | number): void {
    const { out, secrets } = this;
    const isSecret = secrets.isSecretText(String(key), value);
    if (this.mediaLimit > 0 && !isSecret && this.writeMedia(value, holder, key)) return;
    const isMaskedHere = this.masksLongTexts && value.length <= this.limit && !isSecret;
    const masked = isMaskedHere ? secrets.maskText(value) : value;
    if (isMaskedHere) this.maskedTexts.add(masked);
    const start = out.length;
    if (out.string(masked, this.limit - this.noted, isMaskedHere)) {
      if (out.length - start <= LONG_TEXT || this.room >= this.limit / NEIGHBOURS_SHARE) {
        if (masked !== value) this.noteRedacted(this.pointerAt(holder, key));
        return;
      }
      out.truncate(start);
    }
    this.writeCut(value, holder, key, (text) =>
      isMaskedHere && text === value ? masked : secrets.maskText(text),
    );
  }

  private writeCut(
    value: string,
    holder: number,
    key: string | number,
    mask: (text: string) => string,
  ): void {
    const pointer = this.pointerAt(holder, key);
    const left = this.room - this.limit / NEIGHBOURS_SHARE - pointer.length * 2 - CUT_NOTE_BYTES;
    const { text, kept, tail, isMasked } = cutText(value, left, mask);
    this.cutAt(pointer, {
      ...measureText(value),
      kept,
      ...(tail > 0 && { tail }),
      ...this.hashBytes(value, isMasked),
    });
    if (isMasked) this.noteRedacted(pointer);
    if (this.masksLongTexts) this.maskedTexts.add(text);
    this.out.string(text, Infinity, this.masksLongTexts);
  }

  private noteRedacted(pointer: string): void {
    if (!this.repeating) this.notes.addRedacted(pointer);
  }

  /** Notes the reference that replaces media at this place. The value stays replayable. */
  refer(node: number, note: WireCut): void {
    this.referAt(this.visited.pointer(node), note);
  }

  private referAt(pointer: string, note: WireCut): void {
    if (this.repeating) this.repetitionWasCut = true;
    else this.noted += this.notes.addCut(pointer, note);
  }

  private cutAt(pointer: string, note: WireCut): void {
    if (this.repeating) {
      this.repetitionWasCut = true;
      return;
    }
    this.noted += this.notes.addCut(pointer, note);
    this.wasCut = true;
    this.replayable = this.rebuildable = false;
  }
}

const COUNTED_CHARACTERS = 4 * 1024 * 1024;

/** Measures a text in bytes. Counting bytes takes time, so a huge text is measured in characters. */
function measureText(text: string): { bytes: number } | { characters: number } {
  return text.length <= COUNTED_CHARACTERS ? { bytes: Buffer.byteLength(text) } : { characters: text.length };
}
