import type { JsonObject, TestRunTotals } from '@dacapo/protocol';
import { InvalidArgumentError } from '../errors.js';
import { RunTally } from '../run/run-tally.js';
import type { Check } from '../run/run.js';
import { decide } from './decide.js';
import { readGate } from './gate.js';
import { readChecks } from './read-checks.js';

/** Checks that depend on verdicts alone. People's judgements change these, and no others. */
const JUDGED: readonly string[] = ['newErrors', 'errors', 'changed', 'unknown', 'diverged'];
/** Checks that the service counts, too. They pass if they passed at the client as well. */
const COUNTED: readonly string[] = ['minItems', 'complete'];

/**
 * Evaluates the gate of a finished run again, after people judged its items. Counts are those of `totals`. Scores, drops and rises do not
 * depend on judgements, so their checks are those that the client stored; a missing one fails.
 *
 * @param summary of the client, as stored
 * @param totals the items as they count after the judgements
 * @param expected number of items the run should have, see `expectedItems`
 * @throws InvalidArgumentError when the summary has no gate, or does not hold what the gate decided
 */
export function decideAgain(
  summary: JsonObject,
  totals: TestRunTotals,
  expected: number,
): { passed: boolean; checks: Check[] } {
  if (summary['gate'] === undefined)
    throw new InvalidArgumentError('run', 'has no gate', 'Replay it with a gate.');
  const gate = readGate(summary['gate']);
  const stored = readStoredChecks(summary);
  const { new_errors: newErrors, failing_as_before: failingAsBefore, ...counts } = totals;
  const { checks } = decide(
    {
      ...new RunTally().summarize(gate),
      totals: {
        ...counts,
        newErrors,
        failingAsBefore,
        missing: Math.max(0, expected - totals.items),
        unstored: 0,
        skipped: {},
      },
      unplayed: readCount(summary['unplayed']),
    },
    gate,
  );
  const decided = checks.map((check) => {
    const before = stored.get(check.name);
    stored.delete(check.name);
    if (JUDGED.includes(check.name)) return check;
    if (before === undefined) return failUnstored(check);
    return COUNTED.includes(check.name) && !check.passed ? check : before;
  });
  // What is left are checks that this version does not make, for example those of a later one.
  const all = [...decided, ...stored.values()];
  return { passed: all.every(({ passed }) => passed), checks: all };
}

/** By name. @throws InvalidArgumentError when the checks are not why the client failed the run */
function readStoredChecks({ checks, passed }: JsonObject): Map<string, Check> {
  const read = readChecks(checks);
  const isWhole = Array.isArray(checks) && checks.length === read.length && read.length > 0;
  const isExplained = passed === true || (passed === false && read.some((check) => !check.passed));
  const byName = new Map(read.map((check) => [check.name, check]));
  if (isWhole && isExplained && byName.size === read.length) return byName;
  throw new InvalidArgumentError(
    'summary',
    'has no checks that explain the decision of the client',
    'Replay the run with this version.',
  );
}

function readCount(value: JsonObject[string] | undefined): number {
  if (value === undefined) return 0;
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value);
  throw new InvalidArgumentError('summary.unplayed', 'must be a whole number', 'Replay the run again.');
}

function failUnstored(check: Check): Check {
  return {
    ...check,
    measured: 'not stored',
    passed: false,
    failures: [`The client stored no result of ${check.name}. Replay the run again.`],
  };
}
