import { plural } from '../gate/words.js';
import { type ReportItem, readReport, type Run, type RunReport } from '../run/run-report.js';
import { MEASURE_COLUMNS, measureRows, SCORE_COLUMNS, scoreRows } from './figures.js';
import type { ReportOptions } from '../run/report-options.js';
import { collectFacts, listFailedChecks } from './row-facts.js';
import {
  summarizeDecision,
  describeItem,
  formatError,
  isIncomplete,
  describeInnerCalls,
  itemName,
  listRemarks,
  stableName,
  formatTotals,
} from './words.js';

/**
 * Formats a run as JUnit XML for CI servers. The gate and each item are tests, sorted by names that are stable across runs. If the gate
 * passed, no item fails. Without a gate, items that are not `same` fail, and so does an incomplete run.
 */
export function toJUnit(
  run: RunReport | Pick<Run, 'report'>,
  { showValues = true }: ReportOptions = {},
): string {
  const report = readReport(run);
  const { title = 'run', passed } = report;
  const items = [...report.items].sort(byName);
  const isShort = passed === undefined && isIncomplete(report);
  const examples = new Map(
    items.flatMap((item) => (item.change && item.texts ? [[item.change, itemName(item)] as const] : [])),
  );
  const cases = [
    ...(passed === undefined ? [] : [gateCase(report, showValues)]),
    ...(isShort ? [incompleteCase(report)] : []),
    ...items.map((item) => itemCase(title, item, { isAllowed: passed === true, showValues, examples })),
  ];
  const failed =
    (passed === false || isShort ? 1 : 0) + (passed === true ? 0 : items.filter(isFailure).length);
  const errors = passed === true ? 0 : items.filter(({ verdict }) => verdict === 'error').length;
  const seconds = items.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0) / 1000;
  const counts = `tests="${cases.length}" failures="${failed}" errors="${errors}" time="${seconds.toFixed(3)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="dacapo" ${counts}>`,
    `<testsuite name="${xml(title)}" ${counts}>`,
    `<properties><property name="totals" value="${xml(formatTotals(report))}"/></properties>`,
    ...cases,
    `<system-out>${xml(summaryLines(report, showValues).join('\n'))}</system-out>`,
    '</testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function summaryLines(report: RunReport, showValues: boolean): string[] {
  const listed = (columns: readonly string[], rows: readonly (readonly string[])[]): string[] =>
    rows.map(([name = '', ...cells]) => {
      const figures = cells.flatMap((cell, at) =>
        cell === '' ? [] : [columns[at + 1] === 'p' ? cell : `${columns[at + 1] ?? ''} ${cell}`],
      );
      return `${name}: ${figures.join('; ')}`;
    });
  return [
    `${summarizeDecision(report)}.`,
    ...report.failures,
    ...listRemarks(report),
    formatTotals(report),
    ...listed(SCORE_COLUMNS, scoreRows(report, showValues)),
    ...listed(MEASURE_COLUMNS, measureRows(report)),
    ...describeInnerCalls(report),
    ...(report.testRunUrl ? [report.testRunUrl] : []),
  ];
}

function gateCase(report: RunReport, showValues: boolean): string {
  const { title = 'run', passed, failures } = report;
  const open = `<testcase classname="${xml(title)}" name="gate"`;
  const remarks = listRemarks(report);
  if (passed === true && remarks.length === 0) return `${open}/>`;
  if (passed === true) return `${open}><system-out>${xml(remarks.join('\n'))}</system-out></testcase>`;
  const lines = listFailedChecks(report, showValues).flatMap((check) => [
    ...(check.limit === '' ? [] : [`${check.name}: ${check.measured} (limit: ${check.limit})`]),
    ...check.failures,
    ...check.culprits.map(({ item, score }) => `  ${[score.values, score.why].join(' ').trim()}: ${item}`),
  ]);
  const text = xml([`${summarizeDecision(report)}.`, ...lines].join('\n'));
  return `${open}><failure message="${xml(failures[0] ?? '')}">${text}</failure></testcase>`;
}

/** Missing items have no test of their own. */
function incompleteCase(report: RunReport): string {
  const { title = 'run', status, totals } = report;
  const short = status === 'interrupted' ? 'The run ended early.' : 'Items are missing from the run.';
  const lost = `${plural(totals.unstored, 'replayed item was', 'replayed items were')} not stored by the service.`;
  const isShort = totals.missing > 0 || totals.unstored === 0;
  const message = [...(isShort ? [short] : []), ...(totals.unstored > 0 ? [lost] : [])].join(' ');
  const text = xml(`${message} ${formatTotals(report)}`);
  return `<testcase classname="${xml(title)}" name="complete"><failure message="${xml(message)}">${text}</failure></testcase>`;
}

function itemCase(
  title: string,
  item: ReportItem,
  { isAllowed, ...conditions }: { isAllowed: boolean } & Conditions,
): string {
  const { verdict, durationMs = 0 } = item;
  const open = `<testcase classname="${xml(title)}" name="${xml(itemName(item))}" time="${(durationMs / 1000).toFixed(3)}"`;
  if (!isFailure(item) && verdict !== 'error') return `${open}/>`;
  const message = (conditions.showValues ? formatError(item) : undefined) ?? describeItem(item);
  const text = xml(detailLines(item, conditions).join('\n'));
  if (isAllowed) return `${open}><system-out>${text}</system-out></testcase>`;
  const element = verdict === 'error' ? 'error' : 'failure';
  return `${open}><${element} message="${xml(message)}">${text}</${element}></testcase>`;
}

interface Conditions {
  showValues: boolean;
  /** By change, an item whose values are kept. */
  examples: ReadonlyMap<string, string>;
}

function detailLines(item: ReportItem, { showValues, examples }: Conditions): string[] {
  const facts = collectFacts({ kind: 'changed', items: [item] }, { showValues, longest: 1_000 });
  const { input, baseline, candidate, duration, url } = facts;
  const example = item.texts === undefined ? examples.get(item.change ?? '') : undefined;
  return [
    facts.description,
    ...(example === undefined ? [] : [`Changed in the same way as ${example}.`]),
    ...(input === undefined ? [] : [`Input: ${input}`]),
    ...(baseline === undefined ? [] : [`Baseline: ${baseline}`]),
    ...(candidate === undefined ? [] : [`Candidate: ${candidate}`]),
    ...facts.differences.map((difference) =>
      showValues
        ? `${difference.path}: ${difference.baseline ?? 'nothing'} → ${difference.candidate ?? 'nothing'}`
        : `${difference.path}: ${difference.kind}`,
    ),
    ...(facts.moreDifferences > 0
      ? [plural(facts.moreDifferences, 'more difference', 'more differences')]
      : []),
    ...facts.scores.map(({ name, values, why }) => `${name}: ${[values, why].join(' ').trim()}`),
    ...facts.calls,
    ...(facts.moreCalls > 0 ? [plural(facts.moreCalls, 'more call', 'more calls')] : []),
    ...(duration === undefined ? [] : [`Duration: ${duration}`]),
    ...(url === undefined ? [] : [url]),
  ];
}

function isFailure({ verdict, fixed }: ReportItem): boolean {
  return verdict === 'unknown' || (verdict === 'changed' && fixed !== true);
}

function byName(a: ReportItem, b: ReportItem): number {
  const [left, right] = [stableName(a) ?? '', stableName(b) ?? ''];
  if (left !== right) return left < right ? -1 : 1;
  return a.itemNo - b.itemNo || (a.repetition ?? 0) - (b.repetition ?? 0);
}

/** Also removes characters that XML 1.0 forbids even escaped: https://www.w3.org/TR/xml/#charsets. */
function xml(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"'\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
