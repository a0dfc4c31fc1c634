import { Random } from './random.js';

describe('Random', () => {
  it('returns the numbers of xoshiro128**', () => {
    // The authors' C code carried over to Python, which gives 11520, 0, 5927040, 70819200 from the state 1, 2, 3, 4.
    const drawn = (seed: number): number[] => {
      const random = new Random(seed);
      return Array.from({ length: 4 }, () => random.nextUint32());
    };
    expect(drawn(1)).toEqual([393288148, 2174103013, 3814759091, 2092745082]);
    expect(drawn(2 ** 32 - 1)).toEqual([4104197751, 1825856343, 1152209388, 2427537429]);
  });

  it('draws every number below a bound about as often', () => {
    const random = new Random(4);
    const counts = new Array<number>(6).fill(0);
    for (let draw = 0; draw < 60_000; draw += 1) counts[random.below(6)]! += 1;
    // 99.9 % of a binomial of 60,000 draws at 1/6.
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(302);
  });
});
