import { plural } from '../gate/words.js';
import { readReport, type Run, type RunReport } from '../run/run-report.js';
import { MEASURE_COLUMNS, measureRows, SCORE_COLUMNS, scoreRows } from './figures.js';
import { bullets, code, CommentBlocks, escape, link, table } from './markdown-syntax.js';
import type { MarkdownOptions } from '../run/report-options.js';
import { describeAlike, collectFacts, listFailedChecks, type RowFacts } from './row-facts.js';
import { rowsToReview } from './rows.js';
import { summarizeDecision, describeInnerCalls, listRemarks, formatTotals } from './words.js';

const MOST_CHECKS = 10;
const MOST_SCORES = 20;

/**
 * Formats a run as a pull request comment: the decision with failed checks, figures, then the items to look at, most severe first, as
 * many as fit. Escapes all values: they make no links, mentions or markup.
 */
export function toMarkdown(
  run: RunReport | Pick<Run, 'report'>,
  { maxCharacters, showValues = true }: MarkdownOptions = {},
): string {
  const report = readReport(run);
  const blocks = new CommentBlocks(maxCharacters);
  const isWhole = headBlocks(report, showValues)
    .map((block) => blocks.add(block))
    .every(Boolean);
  const rows = rowsToReview(report);
  let shown = 0;
  for (const row of rows) {
    const section = rowSection(collectFacts(row, { showValues }));
    if (!blocks.add(shown === 0 ? `### To look at\n\n${section}` : section)) break;
    shown += 1;
  }
  const more = rows.slice(shown).reduce((sum, { items }) => sum + items.length, 0);
  return blocks.text([
    ...(more > 0 ? [`${plural(more, 'more item', 'more items')} to look at.`] : []),
    ...(isWhole ? [] : ['Some parts of the report are too long for a comment.']),
  ]);
}

function headBlocks(report: RunReport, showValues: boolean): string[] {
  const { title, testRunUrl } = report;
  const failed = listFailedChecks(report, showValues);
  const ofScores = failed.filter(({ culprits }) => culprits.length > 0);
  return [
    `## ${summarizeDecision(report)}${title === undefined ? '' : `: ${escape(title)}`}`,
    ...table(
      ['Failed check', 'Limit', 'Measured'],
      failed
        .filter(({ limit }) => limit !== '')
        .slice(0, MOST_CHECKS)
        .map(({ name, limit, measured }) => [name, limit, measured].map((cell) => escape(cell))),
    ),
    ...bullets(
      failed.flatMap(({ failures }) => failures),
      'more failure',
    ),
    ...bullets(listRemarks(report), 'more note'),
    `${escape(formatTotals(report))}${link(' Open the run', testRunUrl)}`,
    ...describeInnerCalls(report).map((line) => escape(line)),
    ...table(
      SCORE_COLUMNS,
      scoreRows(report, showValues)
        .slice(0, MOST_SCORES)
        .map((row) => row.map((cell) => escape(cell))),
    ),
    ...table(
      MEASURE_COLUMNS,
      measureRows(report).map((row) => row.map((cell) => escape(cell))),
    ),
    ...ofScores.flatMap(({ name, culprits }) => [
      `Items that failed ${escape(name)}, the worst first:`,
      ...table(
        ['Score', 'Why', 'Items'],
        culprits.map(({ item, score }) => [
          code(score.values),
          score.why === '' ? '' : code(score.why),
          escape(item),
        ]),
      ),
    ]),
  ];
}

function rowSection(facts: RowFacts): string {
  const { input, baseline, candidate, duration, url } = facts;
  const showsValues = facts.differences.some(
    (one) => one.baseline !== undefined || one.candidate !== undefined,
  );
  const alike = describeAlike(facts, 5);
  const side = (text: string | undefined): string => (text === undefined ? '' : code(text));
  const values = [
    ...(input === undefined ? [] : [`- Input: ${code(input, 400)}`]),
    ...(baseline === undefined ? [] : [`- Baseline: ${code(baseline)}`]),
    ...(candidate === undefined ? [] : [`- Candidate: ${code(candidate)}`]),
    ...facts.scores.map(
      (score) =>
        `- ${escape(score.name)}: ${code(score.values)}${score.why === '' ? '' : ` ${code(score.why, 400)}`}`,
    ),
    ...(duration === undefined ? [] : [`- Duration: ${escape(duration)}`]),
    ...facts.calls.map((call) => `- Call inside, ${code(call)}`),
    ...(facts.moreCalls > 0 ? [`- ${plural(facts.moreCalls, 'more call', 'more calls')} inside`] : []),
  ];
  return [
    `**${escape(facts.name)}**: ${facts.description}${link(' Open the trace', url)}`,
    ...(values.length > 0 ? [values.join('\n')] : []),
    ...table(
      showsValues ? ['Where', 'Baseline', 'Candidate'] : ['Where', 'What'],
      facts.differences.map((one) =>
        showsValues ? [code(one.path), side(one.baseline), side(one.candidate)] : [code(one.path), one.kind],
      ),
    ),
    ...(facts.moreDifferences > 0
      ? [`${plural(facts.moreDifferences, 'more difference', 'more differences')}.`]
      : []),
    ...(alike === undefined ? [] : [`${escape(alike)}.`]),
  ].join('\n\n');
}
