import { type EqualOptions, equal, type ErrorRecord, type ValueNode } from '@dacapo/protocol';
import { diffNodes } from '../diff/diff-nodes.js';
import type { ValueDiff } from '../diff/value-diff.js';
import type { Verdict } from '../run/run-item.js';
import { splitPaths, withoutPaths } from '../values/ignored-paths.js';
import { compareErrors } from './compare-errors.js';

/** How a call ended: with a value, as it is recorded (`readValue`) or as it is here (`nodeOf`), or with an error. */
export type Outcome = ReturnedOutcome | { error: ErrorRecord };

interface ReturnedOutcome {
  value: ValueNode;
  /** What came before the call was cancelled, or its consumer stopped: what would have come after is not known. */
  isPartial?: boolean;
}

export interface OutcomeOptions extends EqualOptions {
  /** Paths that may vary: of the output `$.createdAt` and `$.items[*].id`, of an error `$error.retryAfter`. */
  ignore?: readonly string[] | undefined;
  /** Decides in place of equality whether two outputs are the same. What it throws is thrown. */
  same?: (() => boolean) | undefined;
  /** What a person accepted in place of the recorded outcome. Then that is expected. */
  accepted?: Outcome | undefined;
}

/** A verdict and what belongs to it; see `RunItem`. */
export interface Judgement {
  verdict: Verdict;
  /** Where the two differ; absent on `same`. Of two errors, where these differ. */
  diff?: ValueDiff[];
  fixed?: true;
  failingAsBefore?: true;
  newError?: true;
  accepted?: true;
}

/**
 * Compares how a call ended with how it ended before. Equal means equal with types and all bytes; where that cannot
 * be known, the verdict is `unknown`, never `same`. Two errors are the same by class, name, message, code, their further
 * properties, causes and what they gathered, but for what is of the moment (`comparedEntries` of the protocol).
 *
 * @param before `undefined`: it is not known how the call ended; see `recordedOutcome`
 * @throws InvalidArgumentError when a path of `ignore` cannot be read
 */
export function judgeOutcome(
  before: Outcome | undefined,
  now: Outcome,
  options: OutcomeOptions = {},
): Judgement {
  const { accepted, ...rest } = options;
  if (accepted === undefined) return compareOutcomes(before, now, rest);
  const judgement = compareOutcomes(accepted, now, rest);
  if (judgement.verdict !== 'same' || compareOutcomes(before, now, rest).verdict === 'same') return judgement;
  return { ...judgement, accepted: true };
}

function compareOutcomes(before: Outcome | undefined, now: Outcome, options: OutcomeOptions): Judgement {
  if (before === undefined)
    return 'error' in now ? { verdict: 'error', newError: true } : { verdict: 'unknown' };
  const { ignore: paths = [], same, ...equality } = options;
  const { ofOutputs: ignore, ofErrors } = splitPaths(paths);
  const [prune, pruneError] = [withoutPaths(ignore), withoutPaths(ofErrors)];
  if ('error' in now)
    return 'error' in before
      ? compareErrors(before.error, now.error, pruneError, equality)
      : { verdict: 'error', newError: true };
  if ('error' in before) return { verdict: 'changed', fixed: true };
  const diff = (): ValueDiff[] => diffNodes(prune(before.value), prune(now.value), equality);
  if (same !== undefined) return same() ? { verdict: 'same' } : { verdict: 'changed', diff: diff() };
  if (before.isPartial === true || now.isPartial === true) {
    const pruned = ({ value, ...rest }: ReturnedOutcome): ReturnedOutcome => ({
      ...rest,
      value: prune(value),
    });
    const isDifferent = differsAsFarAsItGoes(pruned(before), pruned(now), equality);
    return { verdict: isDifferent ? 'changed' : 'unknown', diff: diff() };
  }
  // A hash of the whole is proof of what is equal, whatever is ignored.
  const whole = equal(before.value, now.value, equality);
  const found =
    whole === 'equal' || ignore.length === 0 ? whole : equal(prune(before.value), prune(now.value), equality);
  if (found === 'equal') return { verdict: 'same' };
  return { verdict: found === 'different' ? 'changed' : 'unknown', diff: diff() };
}

/**
 * Whether two outcomes, one of which did not come to its end, are known to differ: a list by the items that both have, or by
 * having more than the other one came to. Of anything else that is cut, such as what `captureOutput` makes of a list, what is
 * there need not be a part of what would have come.
 */
function differsAsFarAsItGoes(before: ReturnedOutcome, now: ReturnedOutcome, options: EqualOptions): boolean {
  const [was, is] = [before.value, now.value];
  if (was.kind !== 'array' || is.kind !== 'array') return false;
  const [itemsBefore, itemsNow] = [was.items(), is.items()];
  // Several in one, of which it is not told which is which.
  if ([...itemsBefore, ...itemsNow].some((item) => item.kind === 'undefined' && item.count > 1)) return false;
  const isOver = ({ isPartial = false }: ReturnedOutcome, { cut }: typeof was): boolean =>
    !isPartial && cut === undefined;
  if (itemsBefore.length > itemsNow.length && isOver(now, is)) return true;
  if (itemsNow.length > itemsBefore.length && isOver(before, was)) return true;
  const both = Math.min(itemsBefore.length, itemsNow.length);
  const head = (items: readonly ValueNode[]): ValueNode => ({
    kind: 'array',
    items: () => items.slice(0, both),
    json: [],
    isPlain: false,
    cut: undefined,
  });
  return equal(head(itemsBefore), head(itemsNow), options) === 'different';
}
