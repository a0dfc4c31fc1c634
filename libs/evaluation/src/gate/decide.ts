import { InvalidArgumentError } from '../errors.js';
import type { Decision, RunSummary, ScoreSummary } from '../run/run.js';
import { DEFAULT_CONFIDENCE, type Difference } from '../statistics/interval.js';
import { listChecks } from './checks.js';
import { countFailures, errorNotes } from './count-failures.js';
import { type Failure, type Gate, readGate } from './gate.js';
import {
  coverageNotes,
  isUnmeasured,
  selectMeasure,
  RISES,
  describeLost,
  unmeasuredFailures,
} from './measured-rises.js';
import { formatDifference, formatNumber, plural } from './words.js';

/** A limit on a drop or a rise, with the run's difference. */
interface EvidenceLimit {
  /** The limited value, such as a score's name. */
  what: string;
  direction: 'drop' | 'rise';
  /** Path of the limit in the gate. */
  path: string;
  unit: string;
  allowed: number;
  delta: Difference;
}

/**
 * Decides whether a run passes.
 *
 * @param summary made with the same gate: `tally.summarize(gate)`
 * @throws InvalidArgumentError when the gate is invalid, or the summary was made with another gate
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
    const tooFew = describeTooFew(limit, tested, confidence);
    if (tooFew !== undefined) failures.push({ check, sentence: tooFew });
    const growth = direction === 'drop' ? -delta.mean : delta.mean;
    if (!isBeyond(growth, allowed)) continue;
    const changed = direction === 'drop' ? 'dropped' : 'rose';
    const finding = `${limit.what} ${changed} by ${formatDifference(growth, delta, confidence, unit)}`;
    const allows = `the gate allows ${formatNumber(allowed)}${unit}`;
    if (isEvidence(delta.p, confidence)) failures.push({ check, sentence: `${finding}; ${allows}.` });
    else if (tooFew === undefined)
      notes.push(`${finding}, over ${plural(delta.n, 'item', 'items')}: this may be chance; ${allows}.`);
  }
  return {
    passed: failures.length === 0,
    checks: listChecks(summary, limits, failures),
    failures: failures.map(({ sentence }) => sentence),
    notes,
  };
}

/** Allows for rounding, so that exactly 1 − confidence is evidence. */
function isEvidence(p: number, confidence: number): boolean {
  return p <= (1 - confidence) * (1 + 1e-9);
}

/** Requires that p was computed for this limit. */
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

/** Explains why there are too few items for any evidence; `undefined` if there are enough. */
function describeTooFew(
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
  // Each unit divides the smallest p by the number of its exchanges: 2, or more with repetitions.
  const exchanges = units === 0 ? 2 : Math.max(2, (2 / smallestP) ** (1 / units));
  const needed = Math.ceil(Math.log((2 * tested) / (1 - confidence)) / Math.log(exchanges) - 1e-9);
  if (needed <= units)
    return `${what}: no ${direction} can be shown at a confidence of ${confidence}. Lower gate.confidence, or remove ${path}.`;
  const need = isClustered ? `${needed} sessions` : `${needed} items`;
  const repeat = direction === 'drop' ? ', repeat them if nothing runs at random,' : '';
  return `${what}: ${have} ${are} too few to show a ${direction}; ${need} are enough. Add ${isClustered ? 'sessions' : 'items'}${repeat} or remove ${path}.`;
}

/** Allows for rounding: a mean printed as 0.8 is not less than 0.8. */
function isBeyond(value: number, limit: number): boolean {
  return value - limit > 1e-12 * Math.max(Math.abs(value), Math.abs(limit));
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
        sentence: `${describeLost(name, lost)}.${allowed === 0 ? '' : ` The gate allows ${allowed}.`} Return a number for them, or allow this number with scores.${name}.lost.`,
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
    // `scoreFailures` already reports a missing score.
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
    const { name, measure, what, unit, selectDelta } = rise;
    const allowed = gate[name]?.maxRise;
    if (allowed === undefined) return [];
    const measured = selectMeasure(summary, measure);
    const path = `${name}.maxRise`;
    // `unmeasuredFailures` already reports why it is unknown.
    if (measured === undefined)
      return isUnmeasured(summary, gate, rise)
        ? []
        : [{ check: path, sentence: `${what} was not measured.` }];
    const delta = selectDelta(measured);
    if (delta === undefined) return [{ check: path, sentence: `${what} has no baseline to compare with.` }];
    return [{ what, path, unit, allowed, delta, direction: 'rise' }];
  });
}
