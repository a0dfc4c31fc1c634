import type { StoredItem } from '../ports/test-run.js';
import { scoreAmount } from '../ports/score.js';

type RankedItem = Pick<StoredItem['record'], 'verdict'> & {
  flags: Readonly<Record<'new_error' | 'fixed' | 'diverged', boolean>>;
  summary: Pick<StoredItem['summary'], 'scores' | 'original_scores'>;
};

/** The rank of an item for `ItemFilter.worstFirst`: the worst has the lowest. */
export function rankSeverity({ verdict, flags, summary }: RankedItem): number {
  if (flags.new_error) return 0;
  if (verdict === 'error') return 1;
  if (verdict === 'changed' && !flags.fixed) return 2;
  if (hasLowerScore(summary)) return 3;
  if (verdict === 'unknown') return 4;
  if (flags.diverged) return 5;
  return flags.fixed ? 6 : 7;
}

function hasLowerScore({ scores = [], original_scores = [] }: RankedItem['summary']): boolean {
  return scores.some((score) =>
    original_scores.some((original) => {
      const [amount, before] = [scoreAmount(score), scoreAmount(original)];
      return score.name === original.name && amount !== undefined && before !== undefined && amount < before;
    }),
  );
}
