/** The first and the last of many items, half of the bytes for either. What is between them is let go of. */
export class EndsBuffer<T> {
  readonly head: T[] = [];
  /** Not all items are here. */
  isCut = false;

  private readonly last: ({ readonly item: T; readonly size: number } | undefined)[] = [];
  private start = 0;
  private headBytes = 0;
  private tailBytes = 0;
  private mostBytes = 0;

  constructor(private readonly most: number) {}

  get tail(): T[] {
    return this.last.flatMap((kept) => (kept === undefined ? [] : [kept.item]));
  }

  /** Whether a further item of this size takes the place of others. */
  isFullFor(size: number): boolean {
    return this.start < this.last.length && this.headBytes + this.tailBytes + size > this.most;
  }

  /** @returns by how many bytes there are more than ever before */
  add(item: T, size: number): number {
    if (!this.isCut && this.last.length === 0 && this.headBytes <= this.most / 2) {
      this.head.push(item);
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
