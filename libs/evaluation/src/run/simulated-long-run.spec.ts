import { Random } from '../statistics/random.js';
import { RunTally } from './run-tally.js';
import type { NamedScore } from './score.js';
import type { TalliedItem } from './item-tally.js';

const item = (itemNo: number, changes: Partial<TalliedItem> = {}): TalliedItem => ({
  itemNo,
  verdict: 'same',
  divergences: [],
  scores: [],
  ...changes,
});
const score = (value: NamedScore['score'], name = 'accuracy'): NamedScore[] => [{ name, score: value }];

describe('A run of many items', () => {
  it('is added up quickly and in little memory', () => {
    const random = new Random(9);
    const tally = new RunTally();
    for (let index = 0; index < 10_000; index += 1)
      tally.add(
        item(index, {
          scores: [...score(random.below(2) === 0), ...score(random.below(100) / 100, 'similarity')],
          originalScores: [...score(random.below(2) === 0), ...score(random.below(100) / 100, 'similarity')],
          durationMs: random.below(1000),
          originalDurationMs: random.below(1000),
          timing: 'paired' as const,
        }),
      );
    const { scores, durations } = tally.summarize();
    expect(scores['similarity']).toMatchObject({ n: 10_000, delta: { n: 10_000 } });
    expect(durations!.p95Delta!.n).toBe(10_000);
  });
});
