import { FrameError } from '../span-frame.js';

/** Wire types of protobuf. OTLP does not use groups (3 and 4). */
const VARINT = 0;
const FIXED64 = 1;
export const LENGTH_DELIMITED = 2;
const FIXED32 = 5;

const LONGEST_VARINT = 10;

/** Reads one message field by field, without decoding it. */
export class WireCursor {
  /** Number of the current field. */
  number = 0;
  wireType = 0;
  /** Where the content of the current field starts and ends. */
  start = 0;
  end = 0;
  /** The field declares more bytes than the message has, and is cut at its end. */
  isCut = false;

  constructor(
    private readonly bytes: Uint8Array,
    private at: number,
    private readonly limit: number,
  ) {}

  /** Moves to the next field. @returns `false` at the end @throws FrameError when the remaining bytes are no field */
  next(): boolean {
    if (this.at >= this.limit) return false;
    const tag = this.readVarint();
    this.number = Math.floor(tag / 8);
    this.wireType = tag % 8;
    this.isCut = false;
    this.start = this.at;
    switch (this.wireType) {
      case VARINT:
        this.readVarint();
        break;
      case FIXED64:
        this.at += 8;
        break;
      case FIXED32:
        this.at += 4;
        break;
      case LENGTH_DELIMITED: {
        const length = this.readVarint();
        this.start = this.at;
        this.at += length;
        break;
      }
      default:
        throw new FrameError(`has a field of the unknown wire type ${this.wireType}`);
    }
    if (this.number === 0) throw new FrameError('has a field with the number 0');
    if (this.at > this.limit) {
      this.isCut = true;
      this.at = this.limit;
    }
    this.end = this.at;
    return true;
  }

  /** Numbers beyond 2^53 lose digits, which does not matter: as lengths they exceed every message. */
  private readVarint(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < LONGEST_VARINT; count++) {
      if (this.at >= this.limit) throw new FrameError('ends within a number');
      const byte = this.bytes[this.at++] as number;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    throw new FrameError('has a number of more than 10 bytes');
  }
}
