import type { Kept } from '../../capture/redaction/pieces.js';

/** Share of the bytes on each side of the gap that serves as context. */
const CONTEXT_PART = 1 / 8;

interface Sized<T> {
  readonly item: T;
  readonly size: number;
}

/** Consecutive items, and the range of them to keep. */
export interface Run<T> {
  readonly items: readonly T[];
  readonly kept: Kept;
}

/** Keeps the first and the last of many items, with half of the bytes for each. The items in between are dropped. */
export class EndsBuffer<T> {
  /** Whether items were dropped. */
  isCut = false;

  private readonly first: Sized<T>[] = [];
  private readonly last: (Sized<T> | undefined)[] = [];
  private start = 0;
  private headBytes = 0;
  private tailBytes = 0;
  private mostBytes = 0;

  constructor(private readonly most: number) {}

  /**
   * Returns all items as one run, or the runs before and after the gap. The gap may split a secret, whose rest would not be recognized.
   * Items next to the gap are therefore context: they are masked together with the others, and then dropped.
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

  /** Whether another item of this size would replace others. */
  isFullFor(size: number): boolean {
    return this.start < this.last.length && this.headBytes + this.tailBytes + size > this.most;
  }

  /** @returns the growth of the maximum size so far, in bytes */
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

  /** Notes that an item is missing, so that the kept items after the head are no longer the last ones. */
  skip(): void {
    this.isCut = true;
    this.last.length = this.start = this.tailBytes = 0;
  }

  private dropFirst(): void {
    this.isCut = true;
    this.tailBytes -= this.last[this.start]?.size ?? 0;
    this.last[this.start++] = undefined;
    // Compacts the array only after half of it was dropped.
    if (this.start * 2 <= this.last.length) return;
    this.last.splice(0, this.start);
    this.start = 0;
  }
}

function toRun<T>(sized: readonly Sized<T>[], before = 0, after = 0): Run<T> {
  return { items: sized.map(({ item }) => item), kept: { from: before, to: sized.length - after } };
}

/** Counts the items that serve as context; at least one other item remains. @param fromGap items, starting next to the gap */
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
