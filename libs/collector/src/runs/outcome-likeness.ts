import { InvalidArgumentError, judgeStored, newOutcomeOf, type StoredOutcome } from '@dacapo/evaluation';
import type { TestRunItemRecord } from '@dacapo/protocol';
import { sha256 } from './sha256.js';

/** Whether two runs gave the same for an item. `unknown`: what is stored of one of them cannot tell. */
export type Likeness = 'same' | 'different' | 'unknown';

/**
 * Compares what two runs gave, whatever each of them was compared with. Paths that both ignored do not count.
 *
 * @returns `unknown` where an outcome was erased, cut without a hash, or could not be judged, for then it is not stored
 */
export function likenessOf(here: TestRunItemRecord, there: TestRunItemRecord): Likeness {
  const [now, other] = [outcomeOf(here), outcomeOf(there)];
  if (now === undefined || other === undefined) return 'unknown';
  const ignoredThere = new Set(there.compared_by?.ignore);
  const ignore = here.compared_by?.ignore?.filter((path) => ignoredThere.has(path)) ?? [];
  const plain = compare(other, now, []);
  return plain === 'same' || ignore.length === 0 ? plain : compareIgnoring(other, now, ignore);
}

function outcomeOf(item: TestRunItemRecord): StoredOutcome | undefined {
  return item.erased || item.error_of === 'judgement' ? undefined : newOutcomeOf(item);
}

function compare(before: StoredOutcome, now: StoredOutcome, ignore: readonly string[]): Likeness {
  const { verdict } = judgeStored(before, now, { ignore, sha256 });
  return verdict === 'changed' || verdict === 'error' ? 'different' : verdict;
}

/** Paths are kept as a reporter sent them: one that cannot be read leaves open what it would leave out. */
function compareIgnoring(before: StoredOutcome, now: StoredOutcome, ignore: readonly string[]): Likeness {
  try {
    return compare(before, now, ignore);
  } catch (error) {
    if (error instanceof InvalidArgumentError) return 'unknown';
    throw error;
  }
}
