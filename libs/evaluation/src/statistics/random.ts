// Looked up once, because resampling draws millions of numbers and a test runner's globals are slow.
const { floor, imul } = Math;

/**
 * Seeded random numbers, equal on every machine: xoshiro128** 1.1, seeded by splitmix32. For resampling, not for secrets.
 *
 * Source: D. Blackman and S. Vigna, "Scrambled Linear Pseudorandom Number Generators", 2021; https://prng.di.unimi.it.
 *
 * @param seed a whole number; only its lowest 32 bits are used
 */
export class Random {
  #s0: number;
  #s1: number;
  #s2: number;
  #s3: number;

  constructor(seed: number) {
    let at = seed;
    const splitmix32 = (): number => {
      at += 0x9e3779b9;
      let mixed = imul(at ^ (at >>> 16), 0x21f0aaad);
      mixed = imul(mixed ^ (mixed >>> 15), 0x735a2d97);
      return mixed ^ (mixed >>> 15);
    };
    this.#s0 = splitmix32();
    this.#s1 = splitmix32();
    this.#s2 = splitmix32();
    this.#s3 = splitmix32();
  }

  /** The next whole number from 0 to 2³² − 1. */
  nextUint32(): number {
    const result = imul(rotateLeft(imul(this.#s1, 5), 7), 9) >>> 0;
    const third = this.#s2 ^ this.#s0;
    const fourth = this.#s3 ^ this.#s1;
    this.#s2 = third ^ (this.#s1 << 9);
    this.#s1 ^= third;
    this.#s0 ^= fourth;
    this.#s3 = rotateLeft(fourth, 11);
    return result;
  }

  /** A whole number from 0 to `bound` − 1, with a bias of at most bound / 2³². */
  below(bound: number): number {
    return floor((this.nextUint32() / 2 ** 32) * bound);
  }
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
