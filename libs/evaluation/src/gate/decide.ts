import { InvalidArgumentError } from '../errors.js';
import type { Decision, RunSummary, RunTotals, ScoreSummary } from '../run/run.js';
import { DEFAULT_CONFIDENCE, type Difference } from '../statistics/interval.js';
import { checksOf } from './checks.js';
import { countsOfLimits, type LimitedCounts } from './counts-beside.js';
import { type Failure, type Gate, readGate } from './gate.js';
import {
  coverageNotes,
  isUnmeasured,
  measureOf,
  RISES,
  tellLost,
  unmeasuredFailures,
} from './measured-rises.js';
import { formatDifference, formatNumber, plural } from './words.js';

/** A limit on a drop or a rise, and what the run shows of it. */
interface EvidenceLimit {
  /** What is limited, such as a score's name. */
  what: string;
  direction: 'drop' | 'rise';
  /** The limit's path in the gate. */
  path: string;
  unit: string;
  allowed: number;
  delta: Difference;
}

/**
 * Decides whether a run passes.
 *
 * @param summary made with the same gate: `tally.summarize(gate)`
 * @throws InvalidArgumentError when the gate is invalid, or the summary was made with another one
 */
export function decide(summary: RunSummary, gate: Gate): Decision {
  const limits = readGate(gate);
  const { confidence = DEFAULT_CONFIDENCE } = limits;
  const failures = [
    ...countFailures(summary, limits),
    ...scoreFailures(summary, limits),
    ...unmeasuredFailures(summary, limits),
  ];
  const notes = [...errorNotes(summary, limits), ...coverageNotes(summary, limits)];
  const found = [...dropLimits(summary, limits), ...riseLimits(summary, limits)];
  const evidence = found.filter((limit): limit is EvidenceLimit => 'delta' in limit);
  failures.push(...found.filter((limit): limit is Failure => !('delta' in limit)));
  const tested = evidence.filter(({ delta }) => delta.exact !== true).length;
  for (const limit of evidence) {
    checkTested(summary, limit, confidence);
    const { path: check, direction, unit, allowed, delta } = limit;
    const tooFew = tellTooFew(limit, tested, confidence);
    if (tooFew !== undefined) failures.push({ check, sentence: tooFew });
    const growth = direction === 'drop' ? -delta.mean : delta.mean;
    if (!isBeyond(growth, allowed)) continue;
    const changed = direction === 'drop' ? 'dropped' : 'rose';
    const said = `${limit.what} ${changed} by ${formatDifference(growth, delta, confidence, unit)}`;
    const allows = `the gate allows ${formatNumber(allowed)}${unit}`;
    if (isEvidence(delta.p, confidence)) failures.push({ check, sentence: `${said}; ${allows}.` });
    else if (tooFew === undefined)
      notes.push(`${said}, over ${plural(delta.n, 'item', 'items')}: this may be chance; ${allows}.`);
  }
  return {
    passed: failures.length === 0,
    checks: checksOf(summary, limits, failures),
    failures: failures.map(({ sentence }) => sentence),
    notes,
  };
}

/** Rounding aside, so that exactly 1 − confidence is evidence. */
function isEvidence(p: number, confidence: number): boolean {
  return p <= (1 - confidence) * (1 + 1e-9);
}

/** A p that tests another limit would decide nothing. */
function checkTested(
  summary: RunSummary,
  { what, path, allowed, delta }: EvidenceLimit,
  confidence: number,
): void {
  if (summary.confidence === confidence && (delta.exact === true || delta.allowed === allowed)) return;
  throw new InvalidArgumentError(
    'summary',
    `was not made with this gate: ${what} was not tested against ${path}`,
    'Pass the result of tally.summarize(gate).',
  );
}

/** Why no difference, however large, could be evidence; `undefined` when one could. */
function tellTooFew(
  { what, direction, path, delta }: EvidenceLimit,
  tested: number,
  confidence: number,
): string | undefined {
  const { n, units, smallestP, exact } = delta;
  if (exact === true || isEvidence(smallestP * tested, confidence)) return undefined;
  const isClustered = units < n;
  const items = plural(n, 'item', 'items');
  const have = isClustered ? `${items} in ${plural(units, 'session', 'sessions')}` : items;
  const are = n === 1 && !isClustered ? 'is' : 'are';
  // Each unit divides the smallest p by the number of its exchanges: 2, and with repetitions more.
  const exchanges = units === 0 ? 2 : Math.max(2, (2 / smallestP) ** (1 / units));
  const needed = Math.ceil(Math.log((2 * tested) / (1 - confidence)) / Math.log(exchanges) - 1e-9);
  if (needed <= units)
    return `${what}: no ${direction} can be shown at a confidence of ${confidence}. Lower gate.confidence, or remove ${path}.`;
  const need = isClustered ? `${needed} sessions` : `${needed} items`;
  const repeat = direction === 'drop' ? ', repeat them if nothing random runs,' : '';
  return `${what}: ${have} ${are} too few to show a ${direction}; ${need} would do. Add ${isClustered ? 'sessions' : 'items'}${repeat} or remove ${path}.`;
}

/** Whether it is more, rounding aside: a mean that is told as 0.8 is no less than 0.8. */
function isBeyond(value: number, limit: number): boolean {
  return value - limit > 1e-12 * Math.max(Math.abs(value), Math.abs(limit));
}

function countFailures(summary: RunSummary, gate: Gate): Failure[] {
  const { totals, unplayed = 0 } = summary;
  const failures: Failure[] = [];
  const fail = (check: string, sentence: string): unknown => failures.push({ check, sentence });
  const { minItems = 1 } = gate;
  if (totals.items < minItems) {
    fail(
      'minItems',
      totals.items === 0
        ? 'No item was replayed. Check that the key exists and that the selection finds calls.'
        : `${plural(totals.items, 'item was', 'items were')} replayed; the gate requires at least ${minItems}.`,
    );
  }
  if (totals.missing > 0)
    fail(
      'complete',
      `${plural(totals.missing, 'selected item is', 'selected items are')} missing from the run.`,
    );
  if (totals.unstored > 0)
    fail(
      'complete',
      `${plural(totals.unstored, 'replayed item was', 'replayed items were')} not stored by the service.`,
    );
  if (unplayed > 0 && gate.errors === undefined)
    fail(
      'newErrors',
      `${plural(unplayed, 'item', 'items')} could not be replayed. Look at the errors, or set errors to allow a number.`,
    );
  const of = `of ${plural(totals.items, 'item', 'items')}`;
  const limit = (name: 'errors' | 'changed' | 'unknown' | 'diverged', count: number, what: string): void => {
    const allowed = gate[name];
    if (allowed === undefined || count <= allowed) return;
    const most = allowed === 0 ? 'none' : `at most ${allowed}`;
    fail(name, `${count} ${of} ${what}; the gate allows ${most}.`);
  };
  const counts = countsOfLimits({ ...summary.totals, new_errors: summary.totals.newErrors }, gate);
  // Items that could not be played fail the gate already.
  if (counts.newErrors > unplayed) fail('newErrors', newErrorFailure(counts.newErrors, totals.items, gate));
  limit('errors', counts.errors, totals.error === 1 ? 'has an error' : 'have errors');
  limit('changed', counts.changed, changedWords(counts, totals));
  limit('unknown', counts.unknown, 'cannot be compared');
  limit('diverged', totals.diverged, 'made other calls inside than recorded');
  return failures;
}

function newErrorFailure(count: number, items: number, { changed }: Gate): string {
  const allow = changed === undefined ? 'set errors' : 'set errors and raise changed';
  const fail = count === 1 ? 'fails and did not fail before' : 'fail and did not fail before';
  return `${count} of ${plural(items, 'item', 'items')} ${fail}. Fix ${count === 1 ? 'it' : 'them'}, or ${allow} to allow a number.`;
}

/** `changed`; where the limit counts more than that, how many items of each kind. */
function changedWords(counts: LimitedCounts, { changed, unknown, newErrors }: RunTotals): string {
  if (counts.changed === changed) return 'changed';
  const uncompared = counts.unknown === 0 ? unknown : 0;
  const failing = counts.changed - changed - newErrors - uncompared;
  const kinds = [
    `${changed} changed`,
    ...(newErrors > 0 ? [plural(newErrors, 'new error', 'new errors')] : []),
    ...(failing > 0
      ? [`${failing} failed before and ${failing === 1 ? 'fails' : 'fail'} differently now`]
      : []),
    ...(uncompared > 0 ? [`${uncompared} cannot be compared`] : []),
  ];
  return `${counts.changed === 1 ? 'counts' : 'count'} as changed (${kinds.join(', ')})`;
}

/** Errors that no limit counts, apart from new ones and from items that could not be played. */
function errorNotes(summary: RunSummary, gate: Gate): string[] {
  const { errors, newErrors } = countsOfLimits(
    { ...summary.totals, new_errors: summary.totals.newErrors },
    gate,
  );
  const failing = errors - newErrors - (summary.unplayed ?? 0);
  if (gate.errors !== undefined || failing <= 0) return [];
  return [
    `${plural(failing, 'item failed before and fails', 'items failed before and fail')} differently now. The gate has no limit for errors.`,
  ];
}

function scoreFailures({ scores }: RunSummary, gate: Gate): Failure[] {
  const failures: Failure[] = [];
  for (const [name, { min, lost: allowed = 0 }] of Object.entries(gate.scores ?? {})) {
    const score = Object.hasOwn(scores, name) ? scores[name] : undefined;
    const check = `scores.${name}`;
    if (score === undefined || score.mean === null) {
      const cure = score
        ? 'No item has a number for it'
        : `Scores of this run: ${Object.keys(scores).join(', ') || 'none'}`;
      failures.push({ check, sentence: `The run has no score ${name}. ${cure}.` });
      continue;
    }
    if (score.missing > 0)
      failures.push({
        check,
        sentence: `${plural(score.missing, 'item has', 'items have')} no score ${name}: the call or the evaluator failed.`,
      });
    const { lost = 0 } = score;
    if (lost > allowed)
      failures.push({
        check,
        sentence: `${tellLost(name, lost)}.${allowed === 0 ? '' : ` The gate allows ${allowed}.`} Let the evaluator answer a number for them, or allow so many by scores.${name}.lost.`,
      });
    if (min !== undefined && isBeyond(min, score.mean))
      failures.push({
        check: `${check}.min`,
        sentence: `${name} is ${formatNumber(score.mean)} over ${plural(score.n, 'item', 'items')}; the gate requires at least ${formatNumber(min)}.`,
      });
  }
  return failures;
}

function dropLimits({ scores }: RunSummary, gate: Gate): (EvidenceLimit | Failure)[] {
  return Object.entries(gate.scores ?? {}).flatMap(([name, { maxDrop }]): (EvidenceLimit | Failure)[] => {
    const score: ScoreSummary | undefined = Object.hasOwn(scores, name) ? scores[name] : undefined;
    // A score that is not there at all is told already.
    if (maxDrop === undefined || score === undefined || score.mean === null) return [];
    const { delta } = score;
    const path = `scores.${name}.maxDrop`;
    if (delta === undefined) return [{ check: path, sentence: `${name} has no baseline to compare with.` }];
    const limit = { what: name, path, unit: '', allowed: maxDrop, delta };
    return [{ ...limit, direction: 'drop' }];
  });
}

function riseLimits(summary: RunSummary, gate: Gate): (EvidenceLimit | Failure)[] {
  return RISES.flatMap((rise): (EvidenceLimit | Failure)[] => {
    const { name, measure, what, unit, deltaOf } = rise;
    const allowed = gate[name]?.maxRise;
    if (allowed === undefined) return [];
    const measured = measureOf(summary, measure);
    const path = `${name}.maxRise`;
    // Why it is not known is told already.
    if (measured === undefined)
      return isUnmeasured(summary, gate, rise)
        ? []
        : [{ check: path, sentence: `${what} was not measured.` }];
    const delta = deltaOf(measured);
    if (delta === undefined) return [{ check: path, sentence: `${what} has no baseline to compare with.` }];
    return [{ what, path, unit, allowed, delta, direction: 'rise' }];
  });
}
