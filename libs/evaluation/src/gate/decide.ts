import type { Decision, RunSummary, ScoreSummary } from '../run/run.js';
import { holm } from '../statistics/holm.js';
import { DEFAULT_CONFIDENCE, type Difference } from '../statistics/interval.js';
import { type Gate, readGate } from './gate.js';
import {
  coverageNotes,
  isUnmeasured,
  measureOf,
  RISES,
  tellLost,
  unmeasuredFailures,
} from './measured-rises.js';
import { formatDifference, formatNumber, plural } from './words.js';

/** Something that may grow with evidence only: how much it did, how much it may, and what to say when it did. */
interface EvidenceLimit {
  growth: number;
  allowed: number;
  delta: Difference;
  /** Without a stop at its end. */
  say: (p: number) => string;
  allows: string;
}

/**
 * Decides whether a run passes.
 *
 * @param summary made with the gate's confidence, or a higher one
 * @throws InvalidArgumentError when the gate cannot work
 */
export function decide(summary: RunSummary, gate: Gate): Decision {
  const limits = readGate(gate);
  const confidence = limits.confidence ?? DEFAULT_CONFIDENCE;
  const failures = [
    ...countFailures(summary, limits),
    ...scoreFailures(summary, limits),
    ...unmeasuredFailures(summary, limits),
  ];
  const notes = [...errorNotes(summary, limits), ...coverageNotes(summary, limits)];
  const evidence: EvidenceLimit[] = [];
  for (const found of [...dropLimits(summary, limits), ...riseLimits(summary, limits)]) {
    if (typeof found === 'string') failures.push(found);
    else evidence.push(found);
  }
  const ps = holm(evidence.map(({ delta }) => delta.p));
  evidence.forEach(({ growth, allowed, delta, say, allows }, index) => {
    const p = ps[index] ?? 1;
    if (!isBeyond(growth, allowed)) return;
    if (p < 1 - confidence && excludesZero(delta)) failures.push(`${say(p)}; ${allows}.`);
    else
      notes.push(
        `${say(p)}, over ${plural(delta.n, 'item', 'items')}: too few to rule out chance; ${allows}.`,
      );
  });
  return { passed: failures.length === 0, failures, notes };
}

/** Whether it is more, rounding aside: a mean that is told as 0.8 is no less than 0.8. */
function isBeyond(value: number, limit: number): boolean {
  return value - limit > 1e-12 * Math.max(Math.abs(value), Math.abs(limit));
}

function excludesZero({ interval }: Difference): boolean {
  return interval !== undefined && (interval.low > 0 || interval.high < 0);
}

function countFailures({ totals, unplayed = 0 }: RunSummary, gate: Gate): string[] {
  const failures: string[] = [];
  const { minItems = 1 } = gate;
  if (totals.items < minItems) {
    failures.push(
      totals.items === 0
        ? 'No item was played. Check that the key exists and that the selection finds calls.'
        : `${plural(totals.items, 'item was', 'items were')} played; the gate asks for at least ${minItems}.`,
    );
  }
  if (totals.missing > 0)
    failures.push(
      `${plural(totals.missing, 'selected item is', 'selected items are')} missing from the run.`,
    );
  if (totals.unstored > 0)
    failures.push(
      `${plural(totals.unstored, 'replayed item was', 'replayed items were')} not stored by the service.`,
    );
  if (unplayed > 0 && gate.errors === undefined)
    failures.push(
      `${plural(unplayed, 'item', 'items')} could not be played. Look at the errors, or allow so many by errors.`,
    );
  const of = `of ${plural(totals.items, 'item', 'items')}`;
  const limit = (count: number, allowed: number | undefined, what: string): void => {
    if (allowed === undefined || count <= allowed) return;
    const most = allowed === 0 ? 'none' : `at most ${allowed}`;
    failures.push(`${count} ${of} ${what}; the gate allows ${most}.`);
  };
  limit(totals.error, gate.errors, totals.error === 1 ? 'has an error' : 'have errors');
  if (gate.unknown === undefined && totals.unknown > 0) {
    const both = totals.changed + totals.unknown;
    limit(both, gate.changed, `changed or cannot be compared (${totals.unknown} cannot)`);
  } else {
    limit(totals.changed, gate.changed, 'changed');
    limit(totals.unknown, gate.unknown, 'cannot be compared');
  }
  limit(totals.diverged, gate.diverged, 'made other calls inside than recorded');
  return failures;
}

/** Items that failed when they were called. */
function errorNotes({ totals, unplayed = 0 }: RunSummary, { errors }: Gate): string[] {
  const failed = totals.error - unplayed;
  if (errors !== undefined || failed === 0) return [];
  return [`${plural(failed, 'item has an error', 'items have errors')}, which the gate sets no limit on.`];
}

function scoreFailures({ scores }: RunSummary, gate: Gate): string[] {
  const failures: string[] = [];
  for (const [name, { min, lost: allowed = 0 }] of Object.entries(gate.scores ?? {})) {
    const score = Object.hasOwn(scores, name) ? scores[name] : undefined;
    if (score === undefined || score.mean === null) {
      const cure = score
        ? 'No item has a number for it'
        : `Scores of this run: ${Object.keys(scores).join(', ') || 'none'}`;
      failures.push(`There is no score ${name}. ${cure}.`);
      continue;
    }
    if (score.missing > 0)
      failures.push(
        `${plural(score.missing, 'item has', 'items have')} no score ${name}: the call or the evaluator failed.`,
      );
    const { lost = 0 } = score;
    if (lost > allowed)
      failures.push(
        `${tellLost(name, lost)}.${allowed === 0 ? '' : ` The gate allows ${allowed}.`} Let the evaluator answer a number for them, or allow so many by scores.${name}.lost.`,
      );
    if (min !== undefined && isBeyond(min, score.mean))
      failures.push(
        `${name} is ${formatNumber(score.mean)} over ${plural(score.n, 'item', 'items')}; the gate asks for at least ${formatNumber(min)}.`,
      );
  }
  return failures;
}

function dropLimits({ scores, confidence }: RunSummary, gate: Gate): (EvidenceLimit | string)[] {
  return Object.entries(gate.scores ?? {}).flatMap(([name, { maxDrop }]): (EvidenceLimit | string)[] => {
    const score: ScoreSummary | undefined = Object.hasOwn(scores, name) ? scores[name] : undefined;
    // A score that is not there at all is told already.
    if (maxDrop === undefined || score === undefined || score.mean === null) return [];
    const { delta } = score;
    if (delta === undefined) return [`${name} has no baseline to have dropped from.`];
    const say = (p: number): string =>
      `${name} dropped by ${formatDifference(-delta.mean, delta, confidence, p)}`;
    const allows = `the gate allows ${formatNumber(maxDrop)}`;
    return [{ growth: -delta.mean, allowed: maxDrop, delta, say, allows }];
  });
}

function riseLimits(summary: RunSummary, gate: Gate): (EvidenceLimit | string)[] {
  return RISES.flatMap((rise): (EvidenceLimit | string)[] => {
    const { name, measure, what, unit, deltaOf } = rise;
    const allowed = gate[name]?.maxRise;
    if (allowed === undefined) return [];
    const measured = measureOf(summary, measure);
    // Why it is not known is told already.
    if (measured === undefined) return isUnmeasured(summary, gate, rise) ? [] : [`${what} was not measured.`];
    const delta = deltaOf(measured);
    if (delta === undefined) return [`${what} has no baseline to have risen from.`];
    const say = (p: number): string =>
      `${what} rose by ${formatDifference(delta.mean, delta, summary.confidence, p, unit)}`;
    const allows = `the gate allows ${formatNumber(allowed)}${unit}`;
    return [{ growth: delta.mean, allowed, delta, say, allows }];
  });
}
