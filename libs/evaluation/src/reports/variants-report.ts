import { formatNumber, plural } from '../gate/words.js';
import type { RunReport } from '../run/run-report.js';
import { type NamedScore, scoreToNumber } from '../run/score.js';
import type { VariantComparison } from '../statistics/compare-variants.js';
import { describeComparison } from './variants.js';
import { summarizeDecision, isIncomplete } from './words.js';

/** The result of one variant for one item and repetition. Texts are masked. */
export interface VariantCell {
  text: string;
  isError: boolean;
  scores: readonly NamedScore[];
}

/** One item with the results of each variant. */
export interface VariantRow {
  name: string;
  input: string;
  /** By variant name. */
  cells: ReadonlyMap<string, readonly VariantCell[]>;
}

/** An evaluation of several variants: a run for each, and the pairs compared. */
export interface VariantsReport {
  title: string;
  variants: readonly { name: string; report: RunReport }[];
  comparisons: readonly VariantComparison[];
  /** Pages of the service that compare two variants item by item. */
  pages: readonly { pair: string; url: string }[];
  rows: readonly VariantRow[];
}

/** `Failed 1 of 3 variants`. */
export function describeVariants({ variants }: VariantsReport): string {
  const all = plural(variants.length, 'variant', 'variants');
  if (variants.some(({ report }) => isIncomplete(report))) return `Interrupted: ${all}`;
  if (variants.every(({ report }) => report.passed === undefined)) return `No gate: ${all}`;
  const failed = variants.filter(({ report }) => report.passed === false).length;
  return failed === 0 ? `Passed: ${all}` : `Failed ${failed} of ${all}`;
}

/** One row per variant: decision, counts and the mean of each score. */
export function variantFigures({ variants }: VariantsReport): { columns: string[]; rows: string[][] } {
  const scores = [...new Set(variants.flatMap(({ report }) => Object.keys(report.scores)))];
  return {
    columns: ['Variant', 'Result', 'Items', 'Errors', ...scores],
    rows: variants.map(({ name, report }) => [
      name,
      summarizeDecision(report),
      String(report.totals.items),
      String(report.totals.error),
      ...scores.map((score) => {
        const mean = report.scores[score]?.mean;
        return typeof mean === 'number' ? formatNumber(mean) : '-';
      }),
    ]),
  };
}

/** Failures by variant, and comparisons of variants by score. */
export function variantSentences({ variants, comparisons }: VariantsReport): {
  failures: string[];
  compared: string[];
} {
  return {
    failures: variants.flatMap(({ name, report }) => report.failures.map((failure) => `${name}: ${failure}`)),
    compared: comparisons.map(describeComparison),
  };
}

/** Items with the largest differences between variants first; at equal difference, lower scores first. */
export function rankedRows({ rows, variants }: VariantsReport): VariantRow[] {
  const ranked = rows.map((row) => {
    const cells = variants.map(({ name }) => row.cells.get(name) ?? []);
    const numbers = cells.map((repetitions) => averageScore(repetitions));
    const outputs = new Set(cells.map((repetitions) => showOutputs(repetitions)));
    return {
      row,
      spread: Math.max(...numbers) - Math.min(...numbers),
      outputs: outputs.size,
      sum: sum(numbers),
    };
  });
  return ranked
    .sort((a, b) => b.spread - a.spread || b.outputs - a.outputs || a.sum - b.sum)
    .map(({ row }) => row);
}

/** A missing score counts as 0, because the call or the evaluator failed. */
function averageScore(cells: readonly VariantCell[]): number {
  const numbers = cells.flatMap(({ scores }) => scores.map((score) => scoreToNumber(score) ?? 0));
  return numbers.length === 0 ? 0 : sum(numbers) / numbers.length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The mean of a score over the repetitions. @returns `undefined` when a repetition has no number */
export function meanScore(cells: readonly Pick<VariantCell, 'scores'>[], name: string): number | undefined {
  const numbers = cells.flatMap(({ scores }) => {
    const score = scores.find((one) => one.name === name);
    return (score && scoreToNumber(score)) ?? [];
  });
  return cells.length === 0 || numbers.length < cells.length ? undefined : sum(numbers) / numbers.length;
}

/** The mean, else the labels; `-` without either. */
export function showScore(cells: readonly Pick<VariantCell, 'scores'>[], name: string): string {
  const mean = meanScore(cells, name);
  if (mean !== undefined) return formatNumber(mean);
  const labels = cells.flatMap(({ scores }) =>
    scores.flatMap((one) => (one.name === name && typeof one.score === 'string' ? [one.score] : [])),
  );
  return labels.length === 0 ? '-' : [...new Set(labels)].join(' | ');
}

/** `correct 1, length 0.35`. */
export function showScores(cells: readonly VariantCell[]): string {
  const names = [...new Set(cells.flatMap(({ scores }) => scores.map(({ name }) => name)))];
  return names.map((name) => `${name} ${showScore(cells, name)}`).join(', ');
}

/** Shows equal outputs of repetitions once. */
export function showOutputs(cells: readonly Pick<VariantCell, 'text'>[]): string {
  return [...new Set(cells.map(({ text }) => text))].join(' | ');
}
