import type { SectionVector } from '../sections.js';
import type { RankedSection } from './ranked-index.js';

/** The vectors of one index in memory. A search compares each of them. */
export class VectorIndex {
  private numbers = new Float32Array(0);
  private dimensions = 0;
  private readonly sectionNos: number[] = [];
  private readonly rows = new Map<number, number>();

  get bytes(): number {
    return this.numbers.byteLength + this.sectionNos.length * 64;
  }

  /** @param vector of length 1; ignored if its dimensions differ from the others */
  set({ section_no: sectionNo, vector }: Pick<SectionVector, 'section_no' | 'vector'>): void {
    if (this.rows.size === 0) this.dimensions = vector.length;
    if (vector.length !== this.dimensions) return;
    let row = this.rows.get(sectionNo);
    if (row === undefined) {
      row = this.sectionNos.push(sectionNo) - 1;
      this.rows.set(sectionNo, row);
      this.makeRoom();
    }
    this.numbers.set(vector, row * this.dimensions);
  }

  /** Moves the last vector to the free place. */
  delete(sectionNo: number): void {
    const row = this.rows.get(sectionNo);
    if (row === undefined) return;
    this.rows.delete(sectionNo);
    const lastRow = this.sectionNos.length - 1;
    const last = this.sectionNos.pop() ?? sectionNo;
    if (row === lastRow) return;
    this.numbers.copyWithin(
      row * this.dimensions,
      lastRow * this.dimensions,
      (lastRow + 1) * this.dimensions,
    );
    this.sectionNos[row] = last;
    this.rows.set(last, row);
  }

  /** Returns the best `count` by cosine, best first. */
  nearest(vector: Float32Array, count: number, accepts?: (sectionNo: number) => boolean): RankedSection[] {
    if (vector.length !== this.dimensions) return [];
    const found: RankedSection[] = [];
    for (const [row, sectionNo] of this.sectionNos.entries()) {
      if (accepts?.(sectionNo) === false) continue;
      const begin = row * this.dimensions;
      let score = 0;
      for (let at = 0; at < this.dimensions; at++) {
        score += (vector[at] ?? 0) * (this.numbers[begin + at] ?? 0);
      }
      found.push({ section_no: sectionNo, score });
    }
    return found
      .sort((left, right) => right.score - left.score || left.section_no - right.section_no)
      .slice(0, count);
  }

  private makeRoom(): void {
    const needed = this.sectionNos.length * this.dimensions;
    if (needed <= this.numbers.length) return;
    const larger = new Float32Array(Math.max(needed, 16 * this.dimensions, this.numbers.length * 1.5));
    larger.set(this.numbers);
    this.numbers = larger;
  }
}
