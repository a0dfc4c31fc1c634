import { findStringEnd } from '@dacapo/protocol';
import { FrameError } from '../span-frame.js';

/** Characters between two yields, which let other requests run. */
const CHARACTERS_IN_A_TURN = 256 * 1024;

const QUOTE = 0x22;
const OPENING_ARRAY = 0x5b;
const CLOSING_ARRAY = 0x5d;
const OPENING_OBJECT = 0x7b;
const CLOSING_OBJECT = 0x7d;

/** Walks over JSON without parsing it. Each method moves past one value, and yields when other work should run. */
export class JsonCursor {
  private at = 0;
  private turnEnds = CHARACTERS_IN_A_TURN;

  constructor(private readonly json: string) {}

  /**
   * Moves past an object, or past any other value.
   *
   * @param read moves past the value of the member with this name
   * @throws FrameError when the JSON is broken
   */
  *members(read: (name: string) => Generator<void>): Generator<void> {
    if (this.peek() !== '{') {
      yield* this.skip();
      return;
    }
    this.at++;
    if (this.takes('}')) return;
    do {
      if (this.peek() !== '"') throw this.broken();
      const begin = this.at;
      this.at = findStringEnd(this.json, begin) + 1;
      const name = this.json.slice(begin + 1, this.at - 1);
      if (!this.takes(':')) throw this.broken();
      yield* read(name);
    } while (this.takes(','));
    if (!this.takes('}')) throw this.broken();
  }

  /**
   * Moves past an array, or past any other value.
   *
   * @param read moves past an item
   * @throws FrameError when the JSON is broken
   */
  *items(read: () => Generator<void>): Generator<void> {
    if (this.peek() !== '[') {
      yield* this.skip();
      return;
    }
    this.at++;
    if (this.takes(']')) return;
    do yield* read();
    while (this.takes(','));
    if (!this.takes(']')) throw this.broken();
  }

  /** Moves past a value and returns its place. @throws FrameError when it does not end */
  *place(): Generator<void, readonly [start: number, end: number]> {
    this.peek();
    const start = this.at;
    yield* this.skip();
    return [start, this.at];
  }

  /** Moves past a value. @throws FrameError when it does not end */
  *skip(): Generator<void> {
    const { json } = this;
    this.peek();
    const start = this.at;
    let depth = 0;
    for (; this.at < json.length; this.at++) {
      if (this.at > this.turnEnds) {
        this.turnEnds = this.at + CHARACTERS_IN_A_TURN;
        yield;
      }
      const character = json.charCodeAt(this.at);
      if (character === QUOTE) this.at = findStringEnd(json, this.at);
      else if (character === OPENING_ARRAY || character === OPENING_OBJECT) depth++;
      else if (character === CLOSING_ARRAY || character === CLOSING_OBJECT) {
        // Closes the object or array around the value.
        if (depth === 0) break;
        depth--;
        if (depth === 0) {
          this.at++;
          return;
        }
      } else if (depth === 0 && character === 0x2c) break;
    }
    if (depth > 0 || this.at === start) throw this.broken();
  }

  private takes(sign: string): boolean {
    if (this.peek() !== sign) return false;
    this.at++;
    return true;
  }

  /** The next character that is not white space. */
  private peek(): string {
    while (this.at < this.json.length && ' \n\r\t\ufeff'.includes(this.json.charAt(this.at))) this.at++;
    return this.json.charAt(this.at);
  }

  private broken(): FrameError {
    const where = this.at >= this.json.length ? 'ends early' : `is not JSON at character ${this.at}`;
    return new FrameError(where);
  }
}
