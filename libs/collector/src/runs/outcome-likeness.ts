import { InvalidArgumentError, judgeStored, type StoredOutcome } from '@dacapo/evaluation';
import type { TestRunItemRecord } from '@dacapo/protocol';
import { createHash } from 'node:crypto';

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

function outcomeOf({
  erased,
  error,
  error_of: errorOf,
  result,
  meta,
}: TestRunItemRecord): StoredOutcome | undefined {
  if (erased || errorOf === 'judgement') return undefined;
  return { ...(error ? { error } : result !== undefined && { output: result }), ...(meta && { meta }) };
}

function compare(before: StoredOutcome, now: StoredOutcome, ignore: readonly string[]): Likeness {
  const { verdict } = judgeStored(before, now, {
    ignore,
    sha256: (data) => createHash('sha256').update(data).digest('hex'),
  });
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
