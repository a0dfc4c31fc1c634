import { plural } from '../gate/words.js';
import { readReport, type Run, type RunReport } from '../run/run-report.js';
import { MEASURE_COLUMNS, measureRows, SCORE_COLUMNS, scoreRows } from './figures.js';
import type { TextOptions } from '../run/report-options.js';
import { describeAlike, collectFacts, listFailedChecks, type RowFacts } from './row-facts.js';
import { rowsToReview } from './rows.js';
import { summarizeDecision, plain, describeInnerCalls, listRemarks, shorten, formatTotals } from './words.js';

const LONGEST_CELL = 80;
const LONGEST_FACT = 160;

/** Formats a run as text for a terminal: the decision with failed checks, figures in columns, then the items to look at. */
export function toText(
  run: RunReport | Pick<Run, 'report'>,
  { maxItems = 10, showValues = true }: TextOptions = {},
): string {
  const report = readReport(run);
  const { title, testRunUrl = '' } = report;
  const rows = rowsToReview(report);
  const shown = rows.slice(0, maxItems);
  const left = rows.slice(maxItems).reduce((sum, { items }) => sum + items.length, 0);
  const failed = listFailedChecks(report, showValues);
  const blocks = [
    [`${summarizeDecision(report)}${title === undefined ? '' : `: ${plain(title)}`}`],
    columns([
      ['Failed check', 'Limit', 'Measured'],
      ...failed
        .filter(({ limit }) => limit !== '')
        .map(({ name, limit, measured }) => [name, limit, measured]),
    ]),
    failed.flatMap(({ failures, culprits }) => [
      ...failures.map((sentence) => `- ${plain(sentence)}`),
      ...culprits.flatMap(({ item, score }) => [
        `    ${shorten(plain(join([score.values, score.why])), LONGEST_FACT)}`,
        `      ${plain(item)}`,
      ]),
    ]),
    listRemarks(report).map(plain),
    [plain(formatTotals(report))],
    columns([SCORE_COLUMNS, ...scoreRows(report, showValues)]),
    columns([MEASURE_COLUMNS, ...measureRows(report)]),
    shown.length === 0 ? [] : ['To look at'],
    ...shown.map((row, index) =>
      rowLines(collectFacts(row, { showValues, longest: LONGEST_FACT }), index + 1),
    ),
    [
      ...(left > 0 ? [`${plural(left, 'more item', 'more items')} to look at.`] : []),
      ...(testRunUrl === '' ? [] : [plain(testRunUrl)]),
    ],
    describeInnerCalls(report).map(plain),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function rowLines(facts: RowFacts, number: number): string[] {
  const { input, baseline, candidate, duration, url } = facts;
  const alike = describeAlike(facts, 5);
  return [
    `${number}. ${plain(facts.name)}: ${facts.description}`,
    ...(input === undefined ? [] : [fact('   Input', input)]),
    ...(baseline === undefined ? [] : [fact('   Baseline', baseline)]),
    ...(candidate === undefined ? [] : [fact('   Candidate', candidate)]),
    ...facts.differences.flatMap(differenceLines),
    ...(facts.moreDifferences > 0
      ? [`   ${plural(facts.moreDifferences, 'more difference', 'more differences')}`]
      : []),
    ...facts.scores.map(({ name, values, why }) => fact(`   ${name}`, join([values, why]))),
    ...facts.calls.map((call) => fact('   Call', call)),
    ...(facts.moreCalls > 0 ? [`   ${plural(facts.moreCalls, 'more call', 'more calls')}`] : []),
    ...(duration === undefined ? [] : [fact('   Duration', duration)]),
    ...(alike === undefined ? [] : [`   ${plain(alike)}`]),
    ...(url === undefined ? [] : [`   ${plain(url)}`]),
  ];
}

/** On one line, or on two if it is too long. */
function differenceLines({ path, kind, baseline, candidate }: RowFacts['differences'][number]): string[] {
  if (baseline === undefined && candidate === undefined) return [fact(`   ${path}`, kind)];
  const [before, now] = [baseline ?? 'nothing', candidate ?? 'nothing'];
  if (before.length + now.length < LONGEST_FACT / 2) return [fact(`   ${path}`, `${before} → ${now}`)];
  return [`   ${plain(path)}`, fact('     Baseline ', before), fact('     Candidate', now)];
}

/** Does not cut names, so that ids can be copied. */
function fact(name: string, value: string): string {
  return `${plain(name).padEnd(12)}  ${shorten(plain(value), LONGEST_FACT)}`;
}

function join(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('  ');
}

/** Aligns columns. Omits empty columns, and a heading without rows. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const [heading = [], ...body] = rows.map((row) => row.map((text) => shorten(plain(text), LONGEST_CELL)));
  if (body.length === 0) return [];
  const used = heading.flatMap((_, at) => (body.some((row) => row[at] !== '') ? [at] : []));
  const widths = used.map((at) => Math.max(...[heading, ...body].map((row) => row[at]?.length ?? 0)));
  return [heading, ...body].map((row) =>
    used
      .map((at, index) => (row[at] ?? '').padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
