import type { TestRunTotals } from '@dacapo/protocol';
import { toTotalName, type ItemState } from '../storage/ports/test-run.js';

type Counted = Pick<ItemState, 'verdict' | 'flags'>;

const NO_FLAGS = { fixed: false, failing_as_before: false, new_error: false, accepted: false };

/** The totals of a run as a decision counts them. @param judged items that are judged or ignored */
export function countJudged(totals: TestRunTotals, judged: readonly ItemState[]): TestRunTotals {
  const counted = { ...totals };
  for (const item of judged) {
    const now = applyJudgement(item);
    counted[item.verdict] -= 1;
    counted[now.verdict] += 1;
    for (const flag of ['fixed', 'failing_as_before', 'new_error', 'accepted', 'diverged'] as const)
      counted[toTotalName(flag)] += Number(now.flags[flag]) - Number(item.flags[flag]);
  }
  return counted;
}

/** A judgement has precedence over ignored paths. An error stays an error, unless it is accepted. */
function applyJudgement({ verdict, flags, judgement, isIgnored }: ItemState): Counted {
  const { diverged } = flags;
  if (judgement === 'worse')
    return verdict === 'error'
      ? { verdict, flags }
      : { verdict: 'changed', flags: { ...NO_FLAGS, diverged } };
  if (judgement !== undefined) {
    const accepted = verdict !== 'same' || flags.accepted;
    return { verdict: 'same', flags: { ...NO_FLAGS, accepted, diverged: false } };
  }
  return isIgnored ? { verdict: 'same', flags: { ...NO_FLAGS, diverged } } : { verdict, flags };
}
