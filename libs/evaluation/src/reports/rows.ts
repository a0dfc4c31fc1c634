import type { Check } from '../run/run.js';
import type { ReportItem, ReportScore, RunReport } from '../run/run-report.js';
import { scoreToNumber } from '../run/score.js';
import { collectChecks, formatError } from './words.js';

/** Kinds of rows, most severe first. The last two do not need a look. */
export const ROW_KINDS = [
  'newError',
  'error',
  'changed',
  'lowerScore',
  'unknown',
  'diverged',
  'fixed',
  'unchanged',
] as const;
export type RowKind = (typeof ROW_KINDS)[number];

/** Items that changed in the same way, the worst first. */
export interface Row {
  kind: RowKind;
  items: readonly [ReportItem, ...ReportItem[]];
}

/** Rows of the items to look at: new errors first, then other errors, changes, lower scores, and so on. */
export function rowsToReview(report: RunReport): Row[] {
  return groupedRows(report).filter(({ kind }) => kind !== 'fixed' && kind !== 'unchanged');
}

/** Whether to look at an item regardless of its scores. */
export function needsReview(item: ReportItem): boolean {
  return item.verdict !== 'same' || item.divergences.length > 0;
}

/** Rows of all items. Unchanged items are not grouped. */
export function groupedRows(report: RunReport): Row[] {
  const failing = failedScores(report);
  const groups = new Map<string, Row & { items: [ReportItem, ...ReportItem[]] }>();
  const ordered = report.items
    .map((item) => ({ item, kind: rowKind(item, failing), fall: largestFall(item) }))
    .sort(
      (a, b) =>
        ROW_KINDS.indexOf(a.kind) - ROW_KINDS.indexOf(b.kind) ||
        b.fall - a.fall ||
        Number(b.item.texts !== undefined) - Number(a.item.texts !== undefined) ||
        a.item.itemNo - b.item.itemNo ||
        (a.item.repetition ?? 0) - (b.item.repetition ?? 0),
    );
  for (const [index, { item, kind }] of ordered.entries()) {
    const change = GROUPED.has(kind) ? (item.change ?? changeKey(item)) : undefined;
    const key = change === undefined ? `#${index}` : `${kind} ${change}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { kind, items: [item] });
    else group.items.push(item);
  }
  const rows = [...groups.values()];
  const place = new Map(rows.map((row, index) => [row, index]));
  return rows.sort(
    (a, b) =>
      ROW_KINDS.indexOf(a.kind) - ROW_KINDS.indexOf(b.kind) ||
      largestFall(b.items[0]) - largestFall(a.items[0]) ||
      b.items.length - a.items.length ||
      (place.get(a) ?? 0) - (place.get(b) ?? 0),
  );
}

const GROUPED: ReadonlySet<RowKind> = new Set([
  'newError',
  'error',
  'changed',
  'unknown',
  'diverged',
  'fixed',
]);

/** @param failing scores with a failed check; `undefined`: all scores */
export function rowKind(item: ReportItem, failing: ReadonlySet<string> | undefined): RowKind {
  if (item.verdict === 'error') return item.newError === true ? 'newError' : 'error';
  if (item.verdict === 'changed' && item.fixed !== true) return 'changed';
  const hasFallen = (item.scores ?? []).some(
    (score) => failing?.has(score.name) !== false && (scoreDrop(score) > 0 || score.candidate === false),
  );
  if (hasFallen) return 'lowerScore';
  if (item.verdict === 'unknown') return 'unknown';
  if (item.divergences.length > 0) return 'diverged';
  return item.fixed === true ? 'fixed' : 'unchanged';
}

/** Scores with a failed check; `undefined` without a gate. */
function failedScores(report: RunReport): ReadonlySet<string> | undefined {
  if (report.passed === undefined) return undefined;
  const failed = collectChecks(report).filter(({ passed }) => !passed);
  return new Set(failed.flatMap(({ score }) => (score === undefined ? [] : [score])));
}

/**
 * A key that is equal only for items that changed in the same way: the same verdict, error, inner calls and differences.
 *
 * @returns `undefined` when nothing differs, or a cut text could differ beyond the cut
 */
export function changeKey(item: ReportItem): string | undefined {
  const { verdict, diff = [], divergences, fixed, newError } = item;
  const sides = diff.flatMap(({ before, now }) => [before?.text ?? '', now?.text ?? '']);
  const error = formatError(item);
  if ([...sides, error ?? ''].some((text) => text.endsWith('…'))) return undefined;
  const isBare = diff.length === 0 && divergences.length === 0 && error === undefined;
  if (isBare && verdict !== 'unknown') return undefined;
  const calls = divergences.map(({ kind, path }) => [kind, path]);
  return JSON.stringify([verdict, fixed, newError, diff, error, calls]);
}

/** How far the candidate's number is below the baseline's; 0 if one of them has none. */
export function scoreDrop({ candidate = null, baseline = null }: ReportScore): number {
  const [now, before] = [scoreToNumber({ score: candidate }), scoreToNumber({ score: baseline })];
  return now === undefined || before === undefined ? 0 : Math.max(0, before - now);
}

function largestFall({ scores = [] }: ReportItem): number {
  return Math.max(0, ...scores.map(scoreDrop));
}

/** An item that lowered a limited score. */
export interface Culprit {
  item: ReportItem;
  score: ReportScore;
}

/** Items that made a check on a score fail, worst first, if their scores are kept. */
export function findCulprits({ items }: RunReport, { name, score, min }: Check): Culprit[] {
  if (score === undefined) return [];
  const scored = items.flatMap((item): Culprit[] => {
    const found = item.scores?.find((one) => one.name === score);
    return found === undefined ? [] : [{ item, score: found }];
  });
  const candidateNumber = (culprit: Culprit): number | undefined =>
    scoreToNumber({ score: culprit.score.candidate ?? null });
  if (name === `scores.${score}`)
    return scored.filter(
      (culprit) =>
        candidateNumber(culprit) === undefined &&
        scoreToNumber({ score: culprit.score.baseline ?? null }) !== undefined,
    );
  if (min === undefined)
    return scored
      .filter((culprit) => scoreDrop(culprit.score) > 0)
      .sort((a, b) => scoreDrop(b.score) - scoreDrop(a.score) || a.item.itemNo - b.item.itemNo);
  return scored
    .filter((culprit) => (candidateNumber(culprit) ?? Infinity) < min)
    .sort((a, b) => (candidateNumber(a) ?? 0) - (candidateNumber(b) ?? 0) || a.item.itemNo - b.item.itemNo);
}
