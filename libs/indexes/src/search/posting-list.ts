/** Bits per field in a packed count. Larger counts are capped. */
const FIELD_BITS = 10;
const MAX_COUNT = (1 << FIELD_BITS) - 1;

/** The sections with a term, and how often each of their fields has it. Removed sections stay in the list. */
export class PostingList {
  static readonly inBody = 0;
  static readonly inHeading = FIELD_BITS;
  static readonly inPath = 2 * FIELD_BITS;

  /** Number of sections that were not removed. */
  alive = 0;
  private size = 0;
  /** Slots and packed counts alternately. */
  private values = new Int32Array(4);

  static increment(packed: number, field: number): number {
    return PostingList.countIn(packed, field) === MAX_COUNT ? packed : packed + (1 << field);
  }

  static countIn(packed: number, field: number): number {
    return (packed >>> field) & MAX_COUNT;
  }

  push(slot: number, packed: number): void {
    if (this.size === this.values.length) {
      const larger = new Int32Array(this.values.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.size] = slot;
    this.values[this.size + 1] = packed;
    this.size += 2;
    this.alive++;
  }

  remove(): void {
    this.alive--;
  }

  forEach(visit: (slot: number, packed: number) => void): void {
    for (let at = 0; at < this.size; at += 2) visit(this.values[at] ?? 0, this.values[at + 1] ?? 0);
  }
}
