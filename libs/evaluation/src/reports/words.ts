import type { SkipReason } from '@dacapo/protocol';
import { describeValue } from '../errors.js';
import { plural } from '../gate/words.js';
import type { Check, RunTotals } from '../run/run.js';
import type { ReportItem, RunReport } from '../run/run-report.js';

/** `Failed 2 of 6 checks`; a run without a gate has no decision. */
export function summarizeDecision(report: RunReport): string {
  const { passed } = report;
  if (passed === undefined) return isIncomplete(report) ? 'Interrupted, no gate' : 'No gate';
  return describeDecision({ ...report, passed });
}

/** `Passed 6 checks`. */
export function describeDecision(
  report: Pick<RunReport, 'checks' | 'failures'> & { passed: boolean },
): string {
  const { passed } = report;
  const checks = collectChecks(report);
  if (checks.length === 0) return passed ? 'Passed' : 'Failed';
  const failed = checks.filter((check) => !check.passed).length;
  if (passed) return `Passed ${plural(checks.length, 'check', 'checks')}`;
  return `Failed ${failed} of ${plural(checks.length, 'check', 'checks')}`;
}

/** The gate's checks, plus one per failure without a check, such as a decision that the service did not confirm. */
export function collectChecks({ checks = [], failures }: Pick<RunReport, 'checks' | 'failures'>): Check[] {
  const known = new Set(checks.flatMap((check) => check.failures));
  const others = failures.filter((failure) => !known.has(failure));
  return [
    ...checks,
    ...others.map((failure) => ({
      name: 'run',
      limit: '',
      measured: '',
      passed: false,
      failures: [failure],
    })),
  ];
}

/** Whether the report covers only a part of the run's items. */
export function isIncomplete({ status, totals }: RunReport): boolean {
  return status === 'interrupted' || totals.missing > 0 || totals.unstored > 0;
}

/** Notes, and warnings that are not also failures. */
export function listRemarks({ warnings = [], notes = [], failures }: RunReport): string[] {
  return [
    ...warnings.filter((warning) => !failures.includes(warning)).map((warning) => `Warning: ${warning}`),
    ...notes.map((note) => `Note: ${note}`),
  ];
}

type InsideCalls = Pick<RunReport, 'ranLive' | 'normalized'>;

/** `Ran live, not mocked: mail 3`, so that side effects of a replay are visible. `undefined` if nothing ran. */
function describeRanLive({ ranLive = {} }: InsideCalls): string | undefined {
  const calls = Object.entries(ranLive).map(([key, count]) => `${key} ${count}`);
  return calls.length === 0 ? undefined : `Ran live, not mocked: ${calls.join(', ')}.`;
}

/** A normalized call may have matched the wrong recorded call, so the reader must check the normalized parts. */
function describeNormalized({ normalized = [] }: InsideCalls): string | undefined {
  if (normalized.length === 0) return undefined;
  const keys = normalized.map(({ key, calls, ambiguous }) =>
    ambiguous === 0
      ? `${key} ${calls}`
      : `${key} ${calls} (${ambiguous} with several recorded calls that match)`,
  );
  return `Matched the recording after normalizing: ${keys.join(', ')}.`;
}

/** Sentences about inner calls: those that ran, and those found after normalizing their arguments. */
export function describeInnerCalls(report: InsideCalls): string[] {
  return [describeRanLive(report), describeNormalized(report)].filter((line) => line !== undefined);
}

/** `12 calls replayed, 9 unchanged, 2 changed, 1 error. Of these, 1 new error. Skipped 6 (unfinished).` */
export function formatTotals({ totals, repeatedItems }: RunReport): string {
  const { items, skipped } = totals;
  const isRepeated = repeatedItems !== undefined && repeatedItems !== items;
  const replayed = isRepeated
    ? `${plural(repeatedItems, 'call', 'calls')} replayed in ${plural(items, 'repetition', 'repetitions')}`
    : `${plural(items, 'call', 'calls')} replayed`;
  const verdicts = formatCounts(totals, VERDICTS);
  const flags = formatCounts(totals, FLAGS);
  const lost = formatCounts(totals, LOST);
  const left = describeSkipped(skipped);
  return [
    `${[replayed, ...verdicts].join(', ')}.`,
    ...(flags.length > 0 ? [`Of these, ${flags.join(', ')}.`] : []),
    ...(lost.length > 0 ? [`Also ${lost.join(', ')}.`] : []),
    ...(left === undefined ? [] : [`${left}.`]),
  ].join(' ');
}

/** `Skipped 6 (2 replays, 4 unfinished)`; `undefined` if nothing was skipped. */
export function describeSkipped(skipped: Readonly<Record<string, number>>): string | undefined {
  const reasons = Object.entries(skipped).filter(([, count]) => count > 0);
  const all = reasons.reduce((sum, [, count]) => sum + count, 0);
  const why = reasons.map(([reason, count]) =>
    reasons.length === 1 ? skipReason(reason) : `${count} ${skipReason(reason)}`,
  );
  return all === 0 ? undefined : `Skipped ${all} (${why.join(', ')})`;
}

type Count = Exclude<keyof RunTotals, 'items' | 'skipped'>;
type CountWords = readonly (readonly [name: Count, one: string, many?: string])[];

const VERDICTS: CountWords = [
  ['same', 'unchanged'],
  ['changed', 'changed'],
  ['unknown', 'not comparable'],
  ['error', 'error', 'errors'],
];
const FLAGS: CountWords = [
  ['newErrors', 'new error', 'new errors'],
  ['fixed', 'fixed'],
  ['failingAsBefore', 'failing as before'],
  ['accepted', 'accepted'],
  ['diverged', 'with different calls inside'],
  ['flaky', 'flaky'],
];
const LOST: CountWords = [
  ['missing', 'missing'],
  ['unstored', 'not stored by the service'],
];

function formatCounts(totals: RunTotals, words: CountWords): string[] {
  return words.flatMap(([name, one, many = one]) =>
    totals[name] === 0 ? [] : [plural(totals[name], one, many)],
  );
}

const SKIPPED: Readonly<Partial<Record<string, string>>> = {
  inside_another_call: 'inside another call with the key',
  not_first: 'not the first of their trace',
  unfinished: 'unfinished',
  replay: 'replays',
  no_recording: 'replays, unfinished',
  not_matching: 'not matching',
  not_scanned: 'beyond the limit of the text search',
  not_sampled: 'not in the sample',
  beyond_limit: 'beyond the limit',
  other_class: 'of another class',
} satisfies Record<SkipReason, string>;

/** Describes a skip reason. Reasons of later versions are returned unchanged. */
export function skipReason(reason: string): string {
  return SKIPPED[reason] ?? reason;
}

/** What happened to an item, in a few words. */
export function describeItem({ verdict, divergences, fixed, newError }: ReportItem): string {
  const calls =
    divergences.length > 0 && plural(divergences.length, 'different call inside', 'different calls inside');
  const verdictText = { same: 'unchanged', changed: 'changed', unknown: 'not comparable', error: 'error' }[
    verdict
  ];
  return [fixed === true ? 'fixed' : newError === true ? 'new error' : verdictText, calls]
    .filter((part) => part !== false)
    .join(', ');
}

/** The item's stable name with its repetition, counted from 1. Default: its number in the selection. */
export function itemName(item: ReportItem): string {
  const { itemNo, repetition } = item;
  const name = stableName(item) ?? `#${itemNo}`;
  return repetition === undefined ? name : `${name}, repetition ${repetition + 1}`;
}

/** Without its repetition. */
export function stableName({ name, sourceSpanId }: ReportItem): string | undefined {
  return name ?? (sourceSpanId === undefined ? undefined : `call ${sourceSpanId}`);
}

/** The message of the item's error; `undefined` without an error. */
export function formatError(item: Pick<ReportItem, 'error'>): string | undefined {
  if (!('error' in item)) return undefined;
  const { error } = item;
  if (error instanceof Error || (typeof error === 'object' && error !== null && 'message' in error)) {
    const { name = 'Error', message } = error as { name?: unknown; message: unknown };
    return `${String(name)}: ${String(message)}`;
  }
  return typeof error === 'string' ? error : describeValue(error);
}

/** Replaces control characters and bidirectional overrides, which terminals and pages may interpret. */
export function plain(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replace(/\p{Surrogate}/gu, '\ufffd');
}

/** At most `longest` characters. */
export function shorten(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

const ENCODER = new TextEncoder();

/** In UTF-8. */
export function byteLength(text: string): number {
  return ENCODER.encode(text).length;
}
