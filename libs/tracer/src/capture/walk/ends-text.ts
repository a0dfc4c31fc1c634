import type { WireHash } from '@dacapo/protocol';
import { CUT_NOTE_BYTES, FieldText, type Mark } from './field-text.js';

/** An entry with a text that is begun with less room than this keeps little of it. */
const LEAST_ENTRY = 1536;
/** The last entry is kept as a stub where it takes no more than this beyond its room. */
const STUB = 512;
/** What is written of one field and taken back again, in sizes of the field: containers inside each other would multiply it. */
const MOST_REWRITTEN = 4;

export interface Written {
  /** The index after the last entry that was written. */
  readonly end: number;
  /** How many entries there are now. */
  readonly kept: number;
}

/** The entries of a container by their index. */
export interface Sequence {
  readonly unit: 'items' | 'properties';
  /** How many entries can be written. */
  readonly length: number;
  /** How many there are; more than `length` where they are too many to list. */
  readonly total: number;
  /** Traps of a Proxy run once. */
  readonly isReadOnce?: boolean;
  /** Whether nothing is at this index: a run of holes takes no room. */
  isHole?(index: number): boolean;
  /**
   * Writes entries while there is more room than `spare`, 0 by default.
   *
   * @param written how many there are before
   */
  write(from: number, to: number, written: number, spare?: number): Written;
}

/** Cuts the middle out of a container that has no room. */
export abstract class EndsText extends FieldText {
  /** `false`: only the beginning is kept. */
  keepsTails = true;

  /** Of the object that is being written, for the note on its cut. */
  protected abstract hashWhole(node: number): WireHash;

  /**
   * Replaces the entries written since `start`, those before `end`, with the first and the last ones: half of the room is for either.
   * Only the first ones stay in repetitions, of more entries than can be listed, and once the field was rewritten too often.
   */
  protected cutMiddle(sequence: Sequence, end: number, node: number, start: Mark): void {
    const { length, total } = sequence;
    const isOpenEnded = length < total || sequence.isReadOnce === true;
    const isSpent = this.rewritten > MOST_REWRITTEN * this.maxFieldBytes;
    if (isOpenEnded || isSpent || this.repeating || !this.keepsTails) this.cutEntries(sequence, end, 0, node);
    else this.ends(sequence, node, start);
  }

  private cutEntries({ unit, total, isReadOnce }: Sequence, kept: number, tail: number, node: number): void {
    const rest = { kept, ...(tail > 0 && { tail }), ...(isReadOnce !== true && this.hashWhole(node)) };
    this.cut(node, unit === 'items' ? { items: total, ...rest } : { properties: total, ...rest });
  }

  private ends(sequence: Sequence, node: number, start: Mark): void {
    const { length } = sequence;
    const { limit } = this;
    this.takeBack(start);
    const half = Math.max(0, this.room >> 1);
    this.limit -= half;
    // Else a few last entries would be stubs.
    const { end, kept } = sequence.write(0, length, 0, Math.min(LEAST_ENTRY, half >> 3));
    this.limit = limit - CUT_NOTE_BYTES;
    const from = this.findTailStart(sequence, end);
    const all = sequence.write(from, length, kept, -Infinity).kept;
    this.limit = limit;
    if (from > end) this.cutEntries(sequence, kept, all - kept, node);
  }

  /** From which index on the last entries fit into what is left. Each is written to know its size; a last one that is too long is cut. */
  private findTailStart(sequence: Sequence, end: number): number {
    const last = sequence.length - 1;
    let { room } = this;
    for (let i = last; i >= end; i--) {
      const start = this.mark();
      if (sequence.isHole?.(i) !== true) sequence.write(i, i + 1, sequence.length, -Infinity);
      room -= this.sizeSince(start);
      this.takeBack(start);
      if (room <= 0) return i === last && room > -STUB ? i : i + 1;
    }
    return end;
  }

  private takeBack(start: Mark): void {
    this.rewritten += this.sizeSince(start);
    this.rewind(start);
  }
}
