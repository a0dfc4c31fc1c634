import { cohensKappa } from './cohens-kappa.js';
import { Random } from './random.js';

/** Of each design; `PROPERTY_RUNS=3` draws three times as many. */
const SAMPLES = 200 * Number(process.env['PROPERTY_RUNS'] ?? 1);

describe('The interval of kappa', () => {
  /** The share of simulated samples whose interval holds the kappa that they were drawn with. */
  function coverage(margins: readonly number[], kappa: number, n: number): number {
    const random = new Random(n * 1000 + kappa * 100 + margins.length);
    const uniform = (): number => random.nextUint32() / 2 ** 32;
    const draw = (): number => {
      let left = uniform();
      const index = margins.findIndex((share) => (left -= share) < 0);
      return index === -1 ? margins.length - 1 : index;
    };
    let [covered, defined] = [0, 0];
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      // Both say the same with probability kappa, else each one says what it says by chance.
      const pairs = Array.from({ length: n }, (): [number, number] => {
        const one = draw();
        return uniform() < kappa ? [one, one] : [one, draw()];
      });
      const { interval } = cohensKappa(pairs);
      if (interval === undefined) continue;
      defined += 1;
      if (interval.low <= kappa && kappa <= interval.high) covered += 1;
    }
    return covered / defined;
  }

  const EVEN_2 = [0.5, 0.5];
  const RARE_2 = [0.85, 0.15];
  const EVEN_3 = [1 / 3, 1 / 3, 1 / 3];
  const RARE_3 = [0.85, 0.075, 0.075];
  const EVEN_5 = [0.2, 0.2, 0.2, 0.2, 0.2];
  const RARE_5 = [0.8, 0.05, 0.05, 0.05, 0.05];

  const designs = [EVEN_2, RARE_2, EVEN_3, RARE_3, EVEN_5, RARE_5].flatMap((margins) =>
    [0, 0.7].flatMap((kappa) => [10, 50].map((n) => [margins, kappa, n] as const)),
  );

  it.each(designs)(
    'contains the true value at the nominal rate: %j, kappa %d, %d items',
    (margins, kappa, n) => {
      // Nominally 0.95; the standard error of 200 samples is 0.015.
      expect(coverage(margins, kappa, n)).toBeGreaterThan(0.9);
    },
  );
});
