/** Bits of a packed count for each field; a word that is there more often counts as this often. */
const FIELD_BITS = 10;
const MOST_COUNTED = (1 << FIELD_BITS) - 1;

/** The sections that have one term, and how often each field of them has it. It only grows; `alive` says how many count. */
export class PostingList {
  static readonly inBody = 0;
  static readonly inHeading = FIELD_BITS;
  static readonly inPath = 2 * FIELD_BITS;

  /** Sections that have the term and were not removed. */
  alive = 0;
  private size = 0;
  /** Slot and packed counts, in turn. */
  private values = new Int32Array(4);

  /** The packed count with one more in the field. */
  static countedOnce(packed: number, field: number): number {
    return PostingList.countIn(packed, field) === MOST_COUNTED ? packed : packed + (1 << field);
  }

  static countIn(packed: number, field: number): number {
    return (packed >>> field) & MOST_COUNTED;
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
