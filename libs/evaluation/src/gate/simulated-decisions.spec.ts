import { RunTally } from '../run/run-tally.js';
import type { NamedScore } from '../run/score.js';
import { Random } from '../statistics/random.js';
import { decide } from './decide.js';

const score = (value: NamedScore['score'], name = 'accuracy'): NamedScore[] => [{ name, score: value }];

describe('A gate', () => {
  it('passes an unchanged version at least 95 of 100 times, and finds a real drop most times', () => {
    const failed = (drop: number, runs: number): number => {
      let count = 0;
      for (let seed = 0; seed < runs; seed += 1) {
        const random = new Random(seed);
        const tally = new RunTally();
        for (let itemNo = 0; itemNo < 200; itemNo += 1)
          tally.add({
            itemNo,
            verdict: 'same',
            divergences: [],
            scores: [
              ...score(random.below(100) < 80 - drop),
              ...score((random.below(100) - drop) / 100, 'similarity'),
            ],
            originalScores: [
              ...score(random.below(100) < 80),
              ...score(random.below(100) / 100, 'similarity'),
            ],
          });
        const gate = { scores: { accuracy: { maxDrop: 0 }, similarity: { maxDrop: 0 } } };
        if (!decide(tally.summarize(gate), gate).passed) count += 1;
      }
      return count;
    };
    // A gate looks at drops alone, so an unchanged version fails in half of 5 % of runs.
    expect(failed(0, 100)).toBeLessThanOrEqual(5);
    expect(failed(15, 20)).toBeGreaterThanOrEqual(18);
  });
});
