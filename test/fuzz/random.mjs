/** Seeded random numbers (mulberry32): target, seed and number determine each input. */
export class Random {
  constructor(...seeds) {
    this.state = seeds.reduce((hash, seed) => Math.imul(hash ^ hashText(String(seed)), 0x9e3779b1) >>> 0, 1);
  }

  /** A number from 0 (inclusive) to 1 (exclusive). */
  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit) {
    return Math.floor(this.next() * limit);
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  chance(share) {
    return this.next() < share;
  }
}

function hashText(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
