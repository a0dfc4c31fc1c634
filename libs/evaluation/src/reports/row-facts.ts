import { formatNumber, plural } from '../gate/words.js';
import type { ReportItem, ReportScore, RunReport } from '../run/run-report.js';
import type { NamedScore } from '../run/score.js';
import { findCulprits, type Row } from './rows.js';
import { collectChecks, describeItem, formatError, itemName, shorten } from './words.js';

/** The content of a row, in reading order. Texts are not escaped. */
export interface RowFacts {
  name: string;
  /** `changed, 1 different call inside`. */
  description: string;
  url?: string;
  input?: string;
  /** Absent when the differences are enough. */
  baseline?: string;
  candidate?: string;
  /** A side is absent if it has no value there. */
  differences: { path: string; kind: string; baseline?: string; candidate?: string }[];
  moreDifferences: number;
  scores: ScoreFacts[];
  calls: string[];
  moreCalls: number;
  /** `300 ms, baseline 100 ms`. */
  duration?: string;
  /** Items that changed in the same way as the first one. */
  alike: string[];
}

interface ScoreFacts {
  name: string;
  /** `true → false`. */
  values: string;
  /** Label and explanation. */
  why: string;
}

export interface FactsOptions {
  showValues: boolean;
  /** Longer values are cut and shown as differences. Default: 200 characters. */
  longest?: number;
}

const MOST_DIFFERENCES = 10;
const MOST_CALLS = 5;
const MOST_SCORES = 20;

export function collectFacts({ items }: Row, { showValues, longest = 200 }: FactsOptions): RowFacts {
  const [item, ...others] = items;
  const { diff = [], divergences, scores = [], url } = item;
  const differences = diff.slice(0, MOST_DIFFERENCES).map(({ path, kind, before, now }) => ({
    path,
    kind,
    ...(showValues && before && { baseline: `${before.text}${kind === 'type' ? ` (${before.type})` : ''}` }),
    ...(showValues && now && { candidate: `${now.text}${kind === 'type' ? ` (${now.type})` : ''}` }),
  }));
  const sides = showValues ? pickSides(item, longest) : {};
  const isShown = sides.baseline !== undefined || sides.candidate !== undefined;
  const isWhole = isShown && !sides.isCut && diff.every(({ kind }) => kind !== 'type' && kind !== 'unknown');
  const { durationMs, originalDurationMs } = item;
  const input = showValues ? item.texts?.input : undefined;
  return {
    name: itemName(item),
    description: describeItem(item),
    ...(url !== undefined && { url }),
    ...(input !== undefined && { input: shorten(input, 2 * longest) }),
    ...(isShown && sides.baseline !== undefined && { baseline: sides.baseline }),
    ...(isShown && sides.candidate !== undefined && { candidate: sides.candidate }),
    differences: isWhole ? [] : differences,
    moreDifferences: isWhole ? 0 : Math.max(0, diff.length - MOST_DIFFERENCES),
    scores: scores.slice(0, MOST_SCORES).map((score) => scoreFacts(score, showValues)),
    calls: divergences
      .slice(0, MOST_CALLS)
      .map(({ kind, path }) => `${kind.replaceAll('_', ' ')}: ${path.join(' → ')}`),
    moreCalls: Math.max(0, divergences.length - MOST_CALLS),
    ...(durationMs !== undefined && { duration: formatDuration(durationMs, originalDurationMs) }),
    alike: others.map(itemName),
  };
}

interface Sides {
  baseline?: string;
  candidate?: string;
  isCut?: boolean;
}

/** Both sides if they are short, or if there are no differences to show. */
function pickSides(item: ReportItem, longest: number): Sides {
  const { texts = {}, diff = [] } = item;
  const error = formatError(item);
  const { baseline, candidate = error } = texts;
  const all = [baseline, candidate].filter((text) => text !== undefined);
  const isLong = all.some((text) => text.length > longest);
  if (isLong && diff.length > 0 && error === undefined) return {};
  return {
    ...(baseline !== undefined && { baseline: shorten(baseline, longest) }),
    ...(candidate !== undefined && { candidate: shorten(candidate, longest) }),
    isCut: isLong || baseline === undefined || candidate === undefined,
  };
}

function scoreFacts({ name, label, explanation, ...score }: ReportScore, showValues: boolean): ScoreFacts {
  const [candidate, baseline] = [score.candidate, score.baseline].map((value) =>
    formatScore(value, showValues),
  );
  const words = showValues ? [label, explanation].filter((text) => text !== undefined && text !== '') : [];
  const isUnchanged =
    baseline === undefined || (candidate === baseline && score.candidate === score.baseline);
  return {
    name,
    values: isUnchanged ? (candidate ?? 'none') : `${baseline} → ${candidate ?? 'none'}`,
    why: words.join(': '),
  };
}

function formatScore(value: NamedScore['score'] | undefined, showValues: boolean): string | undefined {
  if (value === undefined) return undefined;
  if (value === null) return 'n/a';
  if (typeof value === 'string') return showValues ? value : 'a label';
  return typeof value === 'number' ? formatNumber(value) : String(value);
}

function formatDuration(durationMs: number, originalDurationMs: number | undefined): string {
  const before = originalDurationMs === undefined ? '' : `, baseline ${formatNumber(originalDurationMs)} ms`;
  return `${formatNumber(durationMs)} ms${before}`;
}

/** `39 more calls like this one: call a, call b, …`. */
export function describeAlike({ alike }: RowFacts, most: number): string | undefined {
  if (alike.length === 0) return undefined;
  const more = alike.length > most ? ', …' : '';
  return `${plural(alike.length, 'more call', 'more calls')} like this one: ${alike.slice(0, most).join(', ')}${more}`;
}

/** A failed check with the items that caused it. */
export interface FailedCheck {
  name: string;
  limit: string;
  measured: string;
  /** Why it failed and what to do. */
  failures: readonly string[];
  /** Items that lowered the score, the worst first. Items with equal score and reason are one entry. */
  culprits: { item: string; score: ScoreFacts }[];
}

const MOST_CULPRITS = 10;

export function listFailedChecks(report: RunReport, showValues: boolean): FailedCheck[] {
  const shown = new Set<string>();
  return collectChecks(report)
    .filter(({ passed }) => !passed)
    .map((check) => {
      // Items listed for a minimum are not repeated for a drop of the same score.
      const all = findCulprits(report, check);
      const culprits = all
        .slice(0, MOST_CULPRITS)
        .map(({ item, score }) => ({ item: itemName(item), score: scoreFacts(score, showValues) }))
        .filter(({ item, score }) => !shown.has(`${score.name} ${item}`));
      for (const { item, score } of culprits) shown.add(`${score.name} ${item}`);
      const { name, limit, measured, failures } = check;
      return {
        name,
        limit,
        measured,
        failures,
        culprits: groupCulprits(culprits, all.length > MOST_CULPRITS),
      };
    });
}

/** Joins items with equal score and reason. */
function groupCulprits(culprits: FailedCheck['culprits'], hasMore: boolean): FailedCheck['culprits'] {
  const groups = new Map<string, { items: string[]; score: ScoreFacts }>();
  for (const { item, score } of culprits) {
    const key = `${score.values} ${score.why}`;
    const group = groups.get(key) ?? { items: [], score };
    groups.set(key, group);
    group.items.push(item);
  }
  const grouped = [...groups.values()].map(({ items, score }) => ({ item: items.join(', '), score }));
  const last = grouped.at(-1);
  if (hasMore && last !== undefined) last.item += ', …';
  return grouped;
}
