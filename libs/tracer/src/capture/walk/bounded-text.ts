import type { JsonObject, JsonValue } from '@dacapo/protocol';
import type { RareValue } from '../types/primitives.js';
import { digestText } from '../types/digest.js';
import { FieldNotes } from './field-notes.js';
import { pointerTo } from './json-pointer.js';
import { VisitedObjects } from './visited-objects.js';

/** Kept free for brackets, labels and the heads of what was cut. */
const RESERVE = 2048;
const HEAD_CHARACTERS = 128;
/** Strings up to this length are written whatever room is left; the next entry is not begun then. */
const SHORT_STRING = 64;
/** Longer strings leave a part of the room to their neighbours. */
const LONG_STRING = 4096;
const NEIGHBOURS_SHARE = 16;

/** The text of one record field as it grows, its notes, and the room that is left. */
export abstract class BoundedText {
  text = '';
  notes = new FieldNotes();
  /** `false` once something was written that cannot be made again. */
  replayable = true;

  protected readonly visited = new VisitedObjects();
  /** Bytes that the record takes beyond the characters of `text`: of wide characters, and of notes. */
  protected beyond = 0;
  /** Inside a value that was written before: its notes are there already. */
  protected repeating = false;
  protected repetitionWasCut = false;
  protected limit: number;

  constructor(private readonly maxFieldBytes: number) {
    this.limit = maxFieldBytes - RESERVE;
  }

  reset(): void {
    this.text = '';
    this.notes = new FieldNotes();
    this.replayable = true;
    this.visited.clear();
    this.beyond = 0;
    this.repeating = this.repetitionWasCut = false;
    this.limit = this.maxFieldBytes - RESERVE;
  }

  get room(): number {
    return this.limit - this.text.length - this.beyond;
  }

  lost(): void {
    if (!this.repeating) this.replayable = false;
  }

  note(node: number, note: JsonValue): void {
    if (!this.repeating) this.beyond += this.notes.addType(this.visited.pointer(node), note);
  }

  cut(node: number, note: JsonObject): void {
    this.cutAt(this.visited.pointer(node), note);
  }

  json(text: string): void {
    this.text += text;
  }

  string(text: string, node: number): void {
    this.appendString(text, () => this.visited.pointer(node));
  }

  marker(label: string): void {
    this.appendString(`[${label}]`, () => '');
  }

  protected pointerAt(holder: number, key: string | number): string {
    return holder < 0 ? '' : pointerTo(this.visited.pointer(holder), key);
  }

  protected appendRare(value: RareValue, holder: number, key: string | number): void {
    this.text += value.json;
    if (this.repeating) return;
    this.beyond += this.notes.addType(this.pointerAt(holder, key), value.note);
    if (value.lost) this.replayable = false;
  }

  protected appendString(value: string, pointer: () => string): void {
    if (value.length <= SHORT_STRING || value.length < this.room) {
      const text = JSON.stringify(value);
      const bytes = Buffer.byteLength(text);
      if (value.length <= SHORT_STRING || this.hasRoomFor(bytes)) {
        this.text += text;
        this.beyond += bytes - text.length;
        return;
      }
    }
    this.cutAt(pointer(), { ...sizeOf(value), kept: HEAD_CHARACTERS, ...digestText(value) });
    const head = JSON.stringify(headOf(value));
    this.text += head;
    this.beyond += Buffer.byteLength(head) - head.length;
  }

  private hasRoomFor(bytes: number): boolean {
    return this.room - bytes > (bytes > LONG_STRING ? this.limit / NEIGHBOURS_SHARE : 0);
  }

  private cutAt(pointer: string, note: JsonObject): void {
    if (this.repeating) {
      this.repetitionWasCut = true;
      return;
    }
    this.beyond += this.notes.addCut(pointer, note);
    this.replayable = false;
  }
}

const COUNTED_CHARACTERS = 4 * 1024 * 1024;

/** Counting the bytes of a text takes time with its length; of a huge one the characters must do. */
function sizeOf(text: string): JsonObject {
  return text.length <= COUNTED_CHARACTERS ? { bytes: Buffer.byteLength(text) } : { characters: text.length };
}

/** Never half of a surrogate pair. */
function headOf(text: string): string {
  const last = text.charCodeAt(HEAD_CHARACTERS - 1);
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? HEAD_CHARACTERS - 1 : HEAD_CHARACTERS)}…`;
}
