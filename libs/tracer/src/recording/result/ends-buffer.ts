import type { Kept } from '../../capture/redaction/pieces.js';

/** Of the bytes on either side of the gap, this part is context. */
const CONTEXT_PART = 1 / 8;

interface Sized<T> {
  readonly item: T;
  readonly size: number;
}

/** Items that came one after the other, and those of them that are kept. */
export interface Run<T> {
  readonly items: readonly T[];
  readonly kept: Kept;
}

/** The first and the last of many items, half of the bytes for either. What is between them is let go of. */
export class EndsBuffer<T> {
  /** Not all items are here. */
  isCut = false;

  private readonly first: Sized<T>[] = [];
  private readonly last: (Sized<T> | undefined)[] = [];
  private start = 0;
  private headBytes = 0;
  private tailBytes = 0;
  private mostBytes = 0;

  constructor(private readonly most: number) {}

  /**
   * All items, or those before and those after the gap. The gap may break a secret, and what is left of it looks like any text. So items
   * next to the gap are context: they are masked together with the others, and then dropped.
   */
  get runs(): readonly Run<T>[] {
    const { first, headBytes, tailBytes } = this;
    const last = this.last.filter((sized) => sized !== undefined);
    if (!this.isCut) return [toRun([...first, ...last])];
    return [
      toRun(first, 0, countContext(first.toReversed(), headBytes)),
      toRun(last, countContext(last, tailBytes)),
    ];
  }

  /** Whether a further item of this size takes the place of others. */
  isFullFor(size: number): boolean {
    return this.start < this.last.length && this.headBytes + this.tailBytes + size > this.most;
  }

  /** @returns by how many bytes there are more than ever before */
  add(item: T, size: number): number {
    if (!this.isCut && this.last.length === 0 && this.headBytes <= this.most / 2) {
      this.first.push({ item, size });
      this.headBytes += size;
    } else {
      while (this.isFullFor(size)) this.dropFirst();
      this.last.push({ item, size });
      this.tailBytes += size;
    }
    const held = this.headBytes + this.tailBytes;
    const more = Math.max(0, held - this.mostBytes);
    this.mostBytes += more;
    return more;
  }

  /** An item is not here: those after the head are the last no longer. */
  skip(): void {
    this.isCut = true;
    this.last.length = this.start = this.tailBytes = 0;
  }

  private dropFirst(): void {
    this.isCut = true;
    this.tailBytes -= this.last[this.start]?.size ?? 0;
    this.last[this.start++] = undefined;
    // Items are moved seldom: when half of them are gone.
    if (this.start * 2 <= this.last.length) return;
    this.last.splice(0, this.start);
    this.start = 0;
  }
}

function toRun<T>(sized: readonly Sized<T>[], before = 0, after = 0): Run<T> {
  return { items: sized.map(({ item }) => item), kept: { from: before, to: sized.length - after } };
}

/** One item is left at least. @param fromGap items, the one next to the gap first */
function countContext(fromGap: readonly Sized<unknown>[], bytes: number): number {
  let left = bytes * CONTEXT_PART;
  let count = 0;
  for (const { size } of fromGap.slice(0, -1)) {
    if (left <= 0) break;
    left -= size;
    count++;
  }
  return count;
}
