import type { WireHash } from '@dacapo/protocol';
import { CUT_NOTE_BYTES, FieldText, type Mark } from './field-text.js';

/** Minimum room to start another entry at the head. With less, a text would keep little of its content. */
const LEAST_ENTRY = 1536;
/** The last entry is kept, shortened, if it exceeds the remaining room by at most this many bytes. */
const STUB = 512;
/** Limit for text that is written and removed again, as a multiple of the field's size. Nested containers would multiply it. */
const MOST_REWRITTEN = 4;

export interface Written {
  /** The index after the last written entry. */
  readonly end: number;
  /** Number of written entries, including earlier ones. */
  readonly kept: number;
}

/** The entries of a container by their index. */
export interface Sequence {
  readonly unit: 'items' | 'properties';
  /** Number of entries that can be written. */
  readonly length: number;
  /** Number of all entries; more than `length` if there are too many to list. */
  readonly total: number;
  /** Whether entries may be read only once, because they belong to a Proxy whose traps may run only once. */
  readonly isReadOnce?: boolean;
  /** Whether this index is a hole. Holes take no room. */
  isHole?(index: number): boolean;
  /**
   * Writes entries while the room exceeds `spare` (default: 0).
   *
   * @param written number of entries that were written before
   */
  write(from: number, to: number, written: number, spare?: number): Written;
}

/** Cuts the middle out of a container that does not fit. */
export abstract class EndsText extends FieldText {
  /** `false` keeps only the beginning of cut containers. */
  keepsTails = true;

  /** Hashes the whole object that is being written, for the note on its cut. */
  protected abstract hashWhole(node: number): WireHash;

  /**
   * Rewrites a container that does not fit: replaces the entries since `start` with the first and the last ones, which get half of the
   * room each. Keeps only the first ones in a repeated value, if there are more entries than can be listed, and after the limit for
   * rewriting.
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
    // Without spare room, the last head entries would be stubs.
    const { end, kept } = sequence.write(0, length, 0, Math.min(LEAST_ENTRY, half >> 3));
    this.limit = limit - CUT_NOTE_BYTES;
    const from = this.findTailStart(sequence, end);
    const all = sequence.write(from, length, kept, -Infinity).kept;
    this.limit = limit;
    if (from > end) this.cutEntries(sequence, kept, all - kept, node);
  }

  /** Finds the index from which the last entries fit into the rest. Writes each one to measure it; an oversized last one is cut. */
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
