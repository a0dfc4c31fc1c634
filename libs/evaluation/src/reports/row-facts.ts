import { formatNumber, plural } from '../gate/words.js';
import type { ReportItem, ReportScore, RunReport } from '../run/run-report.js';
import type { NamedScore } from '../run/score.js';
import { culpritsOf, type Row } from './rows.js';
import { checksOf, describeItem, errorOf, itemName, shorten } from './words.js';

/** What a report says of a row, in the order in which it is read. Texts are not escaped. */
export interface RowFacts {
  name: string;
  /** `changed, 1 different call inside`. */
  outcome: string;
  url?: string;
  input?: string;
  /** Absent where the differences say it all. */
  baseline?: string;
  candidate?: string;
  /** Absent on either side: nothing is there. */
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
  /** The label and the explanation. */
  why: string;
}

export interface FactsOptions {
  showValues: boolean;
  /** Longer values are shown by their differences, and cut. Default: 200 characters. */
  longest?: number;
}

const MOST_DIFFERENCES = 10;
const MOST_CALLS = 5;
const MOST_SCORES = 20;

export function factsOf({ items }: Row, { showValues, longest = 200 }: FactsOptions): RowFacts {
  const [item, ...others] = items;
  const { diff = [], divergences, scores = [], url } = item;
  const differences = diff.slice(0, MOST_DIFFERENCES).map(({ path, kind, before, now }) => ({
    ...{ path, kind },
    ...(showValues && before && { baseline: `${before.text}${kind === 'type' ? ` (${before.type})` : ''}` }),
    ...(showValues && now && { candidate: `${now.text}${kind === 'type' ? ` (${now.type})` : ''}` }),
  }));
  const sides = showValues ? sidesOf(item, longest) : {};
  const isShown = sides.baseline !== undefined || sides.candidate !== undefined;
  const isSaid = isShown && !sides.isCut && diff.every(({ kind }) => kind !== 'type' && kind !== 'unknown');
  const { durationMs, originalDurationMs } = item;
  const input = showValues ? item.texts?.input : undefined;
  return {
    name: itemName(item),
    outcome: describeItem(item),
    ...(url !== undefined && { url }),
    ...(input !== undefined && { input: shorten(input, 2 * longest) }),
    ...(isShown && sides.baseline !== undefined && { baseline: sides.baseline }),
    ...(isShown && sides.candidate !== undefined && { candidate: sides.candidate }),
    differences: isSaid ? [] : differences,
    moreDifferences: isSaid ? 0 : Math.max(0, diff.length - MOST_DIFFERENCES),
    scores: scores.slice(0, MOST_SCORES).map((score) => scoreFacts(score, showValues)),
    calls: divergences
      .slice(0, MOST_CALLS)
      .map(({ kind, path }) => `${kind.replaceAll('_', ' ')}: ${path.join(' → ')}`),
    moreCalls: Math.max(0, divergences.length - MOST_CALLS),
    ...(durationMs !== undefined && { duration: durationOf(durationMs, originalDurationMs) }),
    alike: others.map(itemName),
  };
}

interface Sides {
  baseline?: string;
  candidate?: string;
  isCut?: boolean;
}

/** Both sides where they are short, or nothing else tells them apart. */
function sidesOf(item: ReportItem, longest: number): Sides {
  const { texts = {}, diff = [] } = item;
  const error = errorOf(item);
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
  const [candidate, baseline] = [score.candidate, score.baseline].map((value) => valueOf(value, showValues));
  const words = showValues ? [label, explanation].filter((text) => text !== undefined && text !== '') : [];
  const isKept = baseline === undefined || (candidate === baseline && score.candidate === score.baseline);
  return {
    name,
    values: isKept ? (candidate ?? 'none') : `${baseline} → ${candidate ?? 'none'}`,
    why: words.join(': '),
  };
}

function valueOf(value: NamedScore['score'] | undefined, showValues: boolean): string | undefined {
  if (value === undefined) return undefined;
  if (value === null) return 'n/a';
  if (typeof value === 'string') return showValues ? value : 'a label';
  return typeof value === 'number' ? formatNumber(value) : String(value);
}

function durationOf(durationMs: number, originalDurationMs: number | undefined): string {
  const before = originalDurationMs === undefined ? '' : `, baseline ${formatNumber(originalDurationMs)} ms`;
  return `${formatNumber(durationMs)} ms${before}`;
}

/** `39 more calls like this one: call a, call b, …`. */
export function alikeOf({ alike }: RowFacts, most: number): string | undefined {
  if (alike.length === 0) return undefined;
  const more = alike.length > most ? ', …' : '';
  return `${plural(alike.length, 'more call', 'more calls')} like this one: ${alike.slice(0, most).join(', ')}${more}`;
}

/** A failed check with the items behind it. */
export interface FailedCheck {
  name: string;
  limit: string;
  measured: string;
  /** Why it failed and what to do, in sentences. */
  failures: readonly string[];
  /** The items that pulled a score down, the worst first; those with the same score for the same reason together. */
  culprits: { item: string; score: ScoreFacts }[];
}

const MOST_CULPRITS = 10;

export function failedChecksOf(report: RunReport, showValues: boolean): FailedCheck[] {
  const shown = new Set<string>();
  return checksOf(report)
    .filter(({ passed }) => !passed)
    .map((check) => {
      // An item that failed a minimum is not listed again for the drop of the same score.
      const all = culpritsOf(report, check);
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

/** Items with the same score for the same reason in one line. */
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
