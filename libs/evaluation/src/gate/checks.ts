import type { Check, RunSummary, ScoreSummary } from '../run/run.js';
import { countByLimit } from './count-against-limits.js';
import type { Failure, Gate, ScoreLimit } from './gate.js';
import { countUnmeasured, selectMeasure, RISES } from './measured-rises.js';
import { formatDifference, formatNumber } from './words.js';

type Measured = Omit<Check, 'passed' | 'failures'>;

/** Lists the checks of a gate, each with its limit and measured value: the general ones, then counts, scores and rises. */
export function listChecks(summary: RunSummary, gate: Gate, failures: readonly Failure[]): Check[] {
  const measured = [
    ...countChecks(summary, gate),
    ...Object.entries(gate.scores ?? {}).flatMap(([name, limit]) => scoreChecks(summary, name, limit)),
    ...riseChecks(summary, gate),
  ];
  return measured.map((check) => {
    const sentences = failures.filter((failure) => failure.check === check.name);
    return {
      ...check,
      passed: sentences.length === 0,
      failures: sentences.map(({ sentence }) => sentence),
    };
  });
}

const COUNTED = ['errors', 'changed', 'unknown', 'diverged'] as const;

function countChecks({ totals, unplayed = 0 }: RunSummary, gate: Gate): Measured[] {
  const counts = countByLimit({ ...totals, new_errors: totals.newErrors }, gate);
  const lost = [`${totals.missing} missing`, `${totals.unstored} not stored`].join(', ');
  const newErrors = String(Math.max(counts.newErrors, unplayed));
  const limited = COUNTED.flatMap((name): Measured[] => {
    const limit = gate[name];
    const count = name === 'diverged' ? totals.diverged : counts[name];
    return limit === undefined ? [] : [{ name, limit: `at most ${limit}`, measured: String(count) }];
  });
  return [
    { name: 'minItems', limit: `at least ${gate.minItems ?? 1}`, measured: String(totals.items) },
    { name: 'complete', limit: 'all items replayed and stored', measured: lost },
    ...(gate.errors === undefined ? [{ name: 'newErrors', limit: 'none', measured: newErrors }] : []),
    ...limited,
  ];
}

function scoreChecks({ scores, confidence }: RunSummary, name: string, limit: ScoreLimit): Measured[] {
  const score: ScoreSummary | undefined = Object.hasOwn(scores, name) ? scores[name] : undefined;
  const { min, maxDrop, lost = 0 } = limit;
  const path = `scores.${name}`;
  const coverage = score === undefined ? 'no score' : `${score.missing} missing, ${score.lost ?? 0} lost`;
  const checks: Measured[] = [
    { name: path, score: name, limit: `none missing, at most ${lost} lost`, measured: coverage },
  ];
  if (min !== undefined) {
    const mean = score?.mean ?? undefined;
    const measured = mean === undefined ? 'no number' : formatNumber(mean);
    checks.push({
      name: `${path}.min`,
      score: name,
      min,
      limit: `mean at least ${formatNumber(min)}`,
      measured,
    });
  }
  if (maxDrop !== undefined) {
    const limited = `drop of at most ${formatNumber(maxDrop)}`;
    const measured = formatChange(score?.delta, confidence);
    checks.push({ name: `${path}.maxDrop`, score: name, limit: limited, measured });
  }
  return checks;
}

function riseChecks(summary: RunSummary, gate: Gate): Measured[] {
  return RISES.flatMap(({ name, measure, unit, selectDelta }) => {
    const { maxRise, unmeasured } = gate[name] ?? {};
    if (maxRise === undefined && unmeasured === undefined) return [];
    const measured = selectMeasure(summary, measure);
    const checks: Measured[] = [];
    if (maxRise !== undefined) {
      const change = formatChange(measured && selectDelta(measured), summary.confidence, unit);
      const limit = `rise of at most ${formatNumber(maxRise)}${unit}`;
      checks.push({ name: `${name}.maxRise`, limit, measured: change });
    }
    const lacking = countUnmeasured(summary, gate, measure);
    const limit = `at most ${unmeasured ?? 0} items without it`;
    checks.push({ name: `${name}.unmeasured`, limit, measured: String(lacking) });
    return checks;
  });
}

function formatChange(delta: ScoreSummary['delta'], confidence: number, unit = ''): string {
  if (delta === undefined) return 'no baseline';
  return `change of ${formatDifference(delta.mean, delta, confidence, unit)}`;
}
