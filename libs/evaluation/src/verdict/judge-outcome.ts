import { equal, type EqualOptions, type ErrorRecord, type ValueNode, type Verdict } from '@dacapo/protocol';
import { diffNodes } from '../diff/diff-nodes.js';
import type { ValueDiff } from '../diff/value-diff.js';
import { splitPaths, withoutPaths } from '../values/ignored-paths.js';
import { compareErrors } from './compare-errors.js';

/** How a call ended: with a recorded (`readValue`) or live (`toNode`) value, or with an error. */
export type Outcome = ReturnedOutcome | { error: ErrorRecord };

interface ReturnedOutcome {
  value: ValueNode;
  /** The call was cancelled, or its consumer stopped, so later items are unknown. */
  isPartial?: boolean;
}

export interface OutcomeOptions extends EqualOptions {
  /** Paths that may vary: `$.createdAt` and `$.items[*].id` in outputs, `$error.retryAfter` in errors. */
  ignore?: readonly string[] | undefined;
  /** Replaces equality of outputs. Its errors are rethrown. */
  same?: (() => boolean) | undefined;
  /** The outcome that a person accepted, which is expected in place of the recorded one. */
  accepted?: Outcome | undefined;
}

/** A verdict with its details; see `RunItem`. */
export interface Judgement {
  verdict: Verdict;
  /** Where the outputs or the two errors differ; absent on `same`. */
  diff?: ValueDiff[];
  fixed?: true;
  failingAsBefore?: true;
  newError?: true;
  accepted?: true;
}

/**
 * Compares two outcomes of a call. Equality includes types and all bytes; if it is unknown, the verdict is `unknown`, never `same`. Errors
 * are compared by class, name, message, code, properties, causes and aggregated errors, except volatile properties (`comparedEntries` of
 * the protocol).
 *
 * @param before `undefined` if the recorded outcome is unknown; see `recordedOutcome`
 * @throws InvalidArgumentError when a path of `ignore` is invalid
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
  // A hash of the whole proves equality, regardless of ignored paths.
  const whole = equal(before.value, now.value, equality);
  const found =
    whole === 'equal' || ignore.length === 0 ? whole : equal(prune(before.value), prune(now.value), equality);
  if (found === 'equal') return { verdict: 'same' };
  return { verdict: found === 'different' ? 'changed' : 'unknown', diff: diff() };
}

/**
 * Whether two outcomes, at least one of them partial, are known to differ: lists differ by a common item, or by more items than a complete
 * list. Other partial values, such as the result of `captureOutput`, need not be a prefix of the whole, so they are never known to differ.
 */
function differsAsFarAsItGoes(before: ReturnedOutcome, now: ReturnedOutcome, options: EqualOptions): boolean {
  const [was, is] = [before.value, now.value];
  if (was.kind !== 'array' || is.kind !== 'array') return false;
  const [itemsBefore, itemsNow] = [was.items(), is.items()];
  // A recorded run of `undefined` hides the position of its items.
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
