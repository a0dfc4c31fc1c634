import type { SkipReason } from '@dacapo/protocol';
import { tell } from '../errors.js';
import { formatEvidence, formatInterval, formatNumber, plural } from '../gate/words.js';
import type { RunItem } from '../run/run-item.js';
import type { MeasureSummary, RunSummary, UnmeasuredSummary } from '../run/run.js';
import type { Difference } from '../statistics/interval.js';

/** What reports show of an item. */
export type ReportItem = Pick<
  RunItem,
  | 'itemNo'
  | 'repetition'
  | 'verdict'
  | 'fixed'
  | 'newError'
  | 'diff'
  | 'error'
  | 'divergences'
  | 'durationMs'
  | 'sourceTraceId'
  | 'sourceSpanId'
> & {
  /** Where it can be looked at. */
  url?: string;
};

/** What reports are made of; a `Run` is one. */
export interface RunReport extends RunSummary {
  /** What was played: the key, the method, the dataset. */
  title?: string;
  testRunUrl?: string;
  /** All items, or those that were kept. */
  items: readonly ReportItem[];
  /** Absent without a gate. */
  passed?: boolean;
  failures: readonly string[];
  notes?: readonly string[];
  /** `interrupted`: not all of it was played, or told. */
  status?: 'finished' | 'interrupted';
  /** How often each function ran inside the calls, by its key: what was not answered from the recording, side effects included. */
  ranLive?: Readonly<Record<string, number>>;
}

/** In a word or two; a run without a gate has no decision. */
export function decisionOf(report: RunReport): string {
  const { passed } = report;
  if (passed === undefined) return isIncomplete(report) ? 'Interrupted, no gate' : 'No gate';
  return passed ? 'Passed' : 'Failed';
}

/** Whether what it says is of a part of its items alone. */
export function isIncomplete({ status, totals }: RunReport): boolean {
  return status === 'interrupted' || totals.missing > 0 || totals.unstored > 0;
}

/** `Ran inside the calls, for real: mail 3`: a mail that a replay sends is seen here. `undefined` where nothing ran. */
export function tellRanLive({ ranLive = {} }: RunReport): string | undefined {
  const calls = Object.entries(ranLive).map(([key, count]) => `${key} ${count}`);
  return calls.length === 0 ? undefined : `Ran inside the calls, for real: ${calls.join(', ')}`;
}

/** `12 items: 9 same, 2 changed, 1 error`; what is zero is left out. */
export function totalsOf({ totals, repeatedItems }: RunReport): string {
  const { items, skipped, ...counts } = totals;
  const words = Object.entries(counts).filter(([, count]) => count > 0);
  const parts = words.map(([name, count]) => `${count} ${TOTALS[name as keyof typeof TOTALS]}`);
  const left = Object.entries(skipped).map(([reason, count]) => `${count} left out (${skipReason(reason)})`);
  const all = [...parts, ...left];
  return `${playingsOf(items, repeatedItems)}${all.length > 0 ? ': ' : ''}${all.join(', ')}`;
}

/** `14 items, 42 playings` where items were repeated: every other count is one of playings. */
function playingsOf(playings: number, items: number | undefined): string {
  if (items === undefined || items === playings) return plural(playings, 'item', 'items');
  return `${plural(items, 'item', 'items')}, ${plural(playings, 'playing', 'playings')}`;
}

const TOTALS = {
  same: 'same',
  changed: 'changed',
  unknown: 'unknown',
  error: 'with an error',
  fixed: 'fixed',
  failingAsBefore: 'failing as before',
  newErrors: 'with a new error',
  accepted: 'accepted',
  diverged: 'with other calls inside',
  flaky: 'flaky',
  missing: 'missing',
  unstored: 'not stored by the service',
} as const;

const SKIPPED: Readonly<Partial<Record<string, string>>> = {
  inside_another_call: 'inside another call of the key',
  not_first: 'not the first of their trace',
  unfinished: 'unfinished',
  replay: 'made by test runs',
  no_recording: 'made by test runs, or unfinished',
  not_matching: 'not as asked for',
  not_scanned: 'not searched for the text',
  not_sampled: 'not in the sample',
  beyond_limit: 'beyond the limit',
  other_class: 'of another class',
} satisfies Record<SkipReason, string>;

/** Why calls were left out, in words; a reason of a later version as it is. */
export function skipReason(reason: string): string {
  return SKIPPED[reason] ?? reason;
}

/** Name, mean, interval, change, p, how many got worse and better. */
export function scoreRows({ scores }: RunReport): string[][] {
  return Object.entries(scores).map(
    ([name, { mean, interval, n, notApplicable, missing, lost = 0, ...score }]) => [
      name,
      mean === null ? labelsOf(score.labels) : formatNumber(mean),
      interval ? formatInterval(interval) : '',
      [
        n,
        notApplicable > 0 && `${notApplicable} n/a`,
        missing > 0 && `${missing} missing`,
        lost > 0 && `${lost} lost`,
      ]
        .filter((part) => part !== false)
        .join(', '),
      ...changeOf(score.delta),
      score.delta === undefined ? '' : `${score.worse.length} worse, ${score.better} better`,
    ],
  );
}

export const SCORE_COLUMNS = ['Score', 'Mean', 'Interval', 'Items', 'Change', 'p', 'Items changed'];

/** Name, mean, 95th percentile, items that have it, change of the mean, p. */
export function measureRows({ durations, usage, unmeasured = {} }: RunReport): string[][] {
  const row = (
    name: string,
    measured: MeasureSummary | undefined,
    lacking: UnmeasuredSummary | undefined,
  ): string[][] => {
    // Where the recording answered every model call, nothing was to be measured.
    const isLost = lacking !== undefined && lacking.items > lacking.unknown;
    if (measured === undefined && !isLost) return [];
    const unknown = lacking === undefined ? [] : [`${lacking.items} unknown`];
    const items = [String(measured?.n ?? 0), ...unknown].join(', ');
    const sizes = measured ? [formatNumber(measured.mean), formatNumber(measured.p95)] : ['unknown', ''];
    return [[name, ...sizes, items, ...changeOf(measured?.delta)]];
  };
  return [
    ...row('Duration, ms', durations, unmeasured.durationMs),
    ...row('Tokens', usage.tokens, unmeasured.tokens),
    ...row('Cost, USD', usage.costUsd, unmeasured.costUsd),
  ];
}

export const MEASURE_COLUMNS = ['Of an item', 'Mean', '95th percentile', 'Items', 'Change of the mean', 'p'];

function changeOf(delta: Difference | undefined): [string, string] {
  if (delta === undefined) return ['', ''];
  const sign = delta.mean > 0 ? '+' : '';
  const range = delta.interval ? ` (${formatInterval(delta.interval)})` : '';
  return [`${sign}${formatNumber(delta.mean)}${range}`, formatEvidence(delta)];
}

function labelsOf(labels: Record<string, number> = {}): string {
  return Object.entries(labels)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 5)
    .map(([label, count]) => `${label} ${count}`)
    .join(', ');
}

/** Items that someone should look at, the gravest first: errors, changes, what cannot be compared, other calls inside. */
export function regressionsOf({ items }: RunReport): ReportItem[] {
  const graveness = ({ verdict, fixed, divergences }: ReportItem): number => {
    if (verdict === 'error') return 3;
    if (verdict === 'changed' && fixed !== true) return 2;
    if (verdict === 'unknown') return 1;
    return divergences.length > 0 ? 0 : -1;
  };
  return items.filter((item) => graveness(item) >= 0).sort((a, b) => graveness(b) - graveness(a));
}

/** What happened to an item, in a few words. */
export function describeItem({ verdict, divergences, fixed, newError }: ReportItem): string {
  const calls =
    divergences.length > 0 && plural(divergences.length, 'other call inside', 'other calls inside');
  const outcome = { same: 'same', changed: 'changed', unknown: 'cannot be compared', error: 'error' }[
    verdict
  ];
  return [fixed === true ? 'fixed' : newError === true ? 'new error' : outcome, calls]
    .filter((part) => part !== false)
    .join(', ');
}

export function itemName({ itemNo, repetition, sourceTraceId }: ReportItem): string {
  const played = repetition === undefined ? `#${itemNo}` : `#${itemNo}, repetition ${repetition}`;
  return sourceTraceId === undefined ? played : `${played} of trace ${sourceTraceId}`;
}

/** The message of what was thrown; `undefined` where nothing was. */
export function errorOf(item: ReportItem): string | undefined {
  if (!('error' in item)) return undefined;
  const { error } = item;
  if (error instanceof Error || (typeof error === 'object' && error !== null && 'message' in error)) {
    const { name = 'Error', message } = error as { name?: unknown; message: unknown };
    return `${String(name)}: ${String(message)}`;
  }
  return typeof error === 'string' ? error : tell(error);
}

/** Without control characters, which may be anything to who shows them, and without turns of the reading direction. */
export function plain(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replace(/\p{Surrogate}/gu, '\ufffd');
}
