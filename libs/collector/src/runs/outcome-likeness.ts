import {
  InvalidArgumentError,
  judgeStored,
  readCandidateOutcome,
  type StoredOutcome,
} from '@dacapo/evaluation';
import type { TestRunItemRecord } from '@dacapo/protocol';
import { sha256 } from '../sha256.js';

export type Likeness = 'same' | 'different' | 'unknown';

/**
 * Compares the outcomes of an item in two runs, regardless of their baselines. Paths that both runs ignored do not count.
 *
 * @returns `unknown` when an outcome was erased, was cut without a hash, or is not stored because an evaluator failed
 */
export function compareItems(here: TestRunItemRecord, there: TestRunItemRecord): Likeness {
  const [now, other] = [storedOutcome(here), storedOutcome(there)];
  if (now === undefined || other === undefined) return 'unknown';
  const ignoredThere = new Set(there.compared_by?.ignore);
  const ignore = here.compared_by?.ignore?.filter((path) => ignoredThere.has(path)) ?? [];
  const plain = compare(other, now, []);
  return plain === 'same' || ignore.length === 0 ? plain : compareIgnoring(other, now, ignore);
}

function storedOutcome(item: TestRunItemRecord): StoredOutcome | undefined {
  return item.erased || item.error_of === 'judgement' ? undefined : readCandidateOutcome(item);
}

function compare(before: StoredOutcome, now: StoredOutcome, ignore: readonly string[]): Likeness {
  const { verdict } = judgeStored(before, now, { ignore, sha256 });
  return verdict === 'changed' || verdict === 'error' ? 'different' : verdict;
}

/** Reporters' paths are stored unchecked. With an invalid one, nobody knows which values to ignore. */
function compareIgnoring(before: StoredOutcome, now: StoredOutcome, ignore: readonly string[]): Likeness {
  try {
    return compare(before, now, ignore);
  } catch (error) {
    if (error instanceof InvalidArgumentError) return 'unknown';
    throw error;
  }
}
