import { meanEvidence } from './mean-difference.js';
import { percentileEvidence } from './percentile-difference.js';
import { Random } from './random.js';

const random = new Random(11);
const uniform = (): number => (random.nextUint32() + 0.5) / 2 ** 32;
const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());

/** The session of each of `n` items. */
const SESSIONS: Record<string, (index: number, n: number) => number> = {
  none: (index) => index,
  equal: (index) => Math.floor(index / 2),
  'one large': (index, n) => (index < n / 3 ? 0 : index),
};

const SCORES: Record<string, (level: number) => number> = {
  binary: (level) => (uniform() < 1 / (1 + Math.exp(-1.5 - level)) ? 1 : 0),
  ordinal: (level) => Math.min(4, Math.max(0, Math.round(2.8 + level + 0.7 * normal()))) / 4,
  skewed: (level) => 1 - Math.min(1, 0.06 * Math.exp(0.6 * level + 0.8 * normal())),
  sizes: (level) => Math.exp(5 + 0.5 * level + 0.7 * normal()),
};

/** Baseline and candidate of unchanged code, whose items of one session vary together. */
function simulate(score: (level: number) => number, sessions: readonly number[]): [number[], number[]] {
  const items = sessions.map(() => 0.7 * normal());
  const one = (): number[] => {
    const moods = sessions.map(() => 0.7 * normal());
    return sessions.map((session, item) => score((items[item] ?? 0) + (moods[session] ?? 0)));
  };
  return [one(), one()];
}

/** Of each cell; `PROPERTY_RUNS=3` simulates three times as many. A large run takes as long as many small ones. */
const [RUNS, LARGE_RUNS] = [20, 3].map((runs) => runs * Number(process.env['PROPERTY_RUNS'] ?? 1)) as [
  number,
  number,
];
const CELLS = [5, 6, 8, 10, 13, 200].flatMap((n) =>
  Object.values(SESSIONS).map((session) => Array.from({ length: n }, (_, index) => session(index, n))),
);

it('unchanged code raises false alarms no more often than nominal, over all cells together', () => {
  let [alarms, runs] = [0, 0];
  for (const sessions of CELLS)
    for (const score of Object.values(SCORES))
      for (let run = 0; run < (sessions.length > 13 ? LARGE_RUNS : RUNS); run += 1) {
        const [before, now] = simulate(score, sessions);
        const clusters = sessions.map(String);
        const differences = now.map((value, index) => value - (before[index] ?? 0));
        runs += 2;
        if (meanEvidence(differences, clusters).pBelow(0) <= 0.025) alarms += 1;
        if (percentileEvidence(before, now, { clusters }).pAbove(0) <= 0.025) alarms += 1;
      }
  // Three standard errors above 2.5 %.
  expect(alarms).toBeLessThanOrEqual(0.025 * runs + 3 * Math.sqrt(0.025 * 0.975 * runs));
  expect(alarms).toBeGreaterThan(0);
});

it('repeated unchanged code, with one baseline for all repetitions, raises no more false alarms', () => {
  let alarms = 0;
  for (let run = 0; run < 1_000; run += 1) {
    const differences = Array.from({ length: 8 }, () => {
      const [baseline = 0, ...now] = Array.from({ length: 3 }, () => (uniform() < 0.85 ? 1 : 0));
      return now.map((value) => value - baseline);
    });
    if (meanEvidence(differences).pBelow(0) <= 0.025) alarms += 1;
  }
  expect(alarms).toBeLessThanOrEqual(25 + 3 * Math.sqrt(25 * 0.975));
});

/** Ways to lose `d` points in expectation, of scores with the mean `mean`. */
const LOSSES: Record<string, (value: number, d: number, mean: number) => number> = {
  'some items score 0': (value, d, mean) => (uniform() < d / mean ? 0 : value),
  'every score drops by as much': (value, d) => value - d,
  'every score shrinks by the same share': (value, d, mean) => value * (1 - d / mean),
};

it.each(Object.entries(LOSSES))('a drop within the allowance fails at most 1.5 × nominal: %s', (_, lose) => {
  let [alarms, runs] = [0, 0];
  const continuous = (level: number): number => 1 / (1 + Math.exp(-0.6 - 0.6 * level - 0.5 * normal()));
  for (const score of [continuous, SCORES['skewed']!]) {
    const pairs = Array.from({ length: 2_000 }, () => simulate(score, [0, 1, 2, 3]));
    const mean = pairs.flat(2).reduce((sum, value) => sum + value, 0) / (pairs.length * 8);
    for (const d of [0.02, 0.1])
      for (const sessions of CELLS)
        for (let run = 0; run < (sessions.length > 13 ? LARGE_RUNS : RUNS); run += 1) {
          const [before, now] = simulate(score, sessions);
          const differences = now.map((value, index) => lose(value, d, mean) - (before[index] ?? 0));
          runs += 1;
          if (meanEvidence(differences, sessions.map(String)).pBelow(-d) <= 0.025) alarms += 1;
        }
  }
  // Three standard errors above 1.5 × 2.5 %.
  expect(alarms).toBeLessThanOrEqual(0.0375 * runs + 3 * Math.sqrt(0.0375 * 0.9625 * runs));
});
