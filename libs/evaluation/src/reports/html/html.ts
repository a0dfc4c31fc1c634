import { plural } from '../../gate/words.js';
import { readReport, type Run, type RunReport } from '../../run/run-report.js';
import { MEASURE_COLUMNS, measureRows, SCORE_COLUMNS, scoreRows } from '../figures.js';
import type { HtmlOptions } from '../../run/report-options.js';
import { collectFacts, listFailedChecks } from '../row-facts.js';
import { groupedRows, ROW_KINDS, type RowKind } from '../rows.js';
import {
  byteLength,
  collectChecks,
  summarizeDecision,
  describeInnerCalls,
  listRemarks,
  formatTotals,
} from '../words.js';
import { type Content, element, type Markup, render, webLink } from './markup.js';
import { page, tableElement } from './page.js';
import { rowArticle, unchangedTable } from './row-article.js';
import { STYLE } from './style.js';

/** Longer values are shown as differences. */
const LONGEST_VALUE = 600;
/** Unchanged items that are listed; the others are only counted. */
const MOST_UNCHANGED = 1_000;

const KIND_TITLES: Readonly<Record<RowKind, string>> = {
  newError: 'New errors',
  error: 'Other errors',
  changed: 'Changed',
  lowerScore: 'Lower scores',
  unknown: 'Not comparable',
  diverged: 'Different calls inside',
  fixed: 'Fixed',
  unchanged: 'Unchanged',
};

/**
 * Formats a run as a single page: decision, checks and figures, then the items to look at, most severe first, and a list of the others.
 * The page has no scripts, makes no requests, and escapes all values. It can be filtered by kind of change and supports dark mode.
 */
export function toHtml(
  run: RunReport | Pick<Run, 'report'>,
  { showValues = true, maxBytes = 4_000_000 }: HtmlOptions = {},
): string {
  const report = readReport(run);
  const { title } = report;
  const decision = summarizeDecision(report);
  const head = [
    ...headSection(report, decision),
    ...checksSection(report, showValues),
    ...figuresSection(report, showValues),
  ];
  const text = `${title === undefined ? '' : `${title}: `}${decision}`;
  let left = Math.max(20_000, maxBytes) - byteLength(render(head)) - byteLength(STYLE) - 2_000;
  const sections = ROW_KINDS.flatMap((kind) => {
    const section = kindSection(report, kind, { showValues, maxBytes: left });
    left -= byteLength(render(section.content));
    return section.items === 0 ? [] : [{ kind, ...section }];
  });
  return page(text, [head, filterForm(sections), ...sections.map(({ content }) => content)]);
}

function headSection(report: RunReport, decision: string): Markup[] {
  const { title, testRunUrl, passed } = report;
  const tone = passed === undefined ? undefined : passed ? 'passed' : 'failed';
  return [
    element('h1', {}, element('span', { class: tone }, decision), title === undefined ? [] : `: ${title}`),
    element('p', {}, formatTotals(report)),
    ...listRemarks(report).map((remark) => element('p', {}, remark)),
    ...describeInnerCalls(report).map((line) => element('p', {}, line)),
    ...(testRunUrl ? [element('p', {}, webLink('Open the run', testRunUrl))] : []),
  ];
}

function checksSection(report: RunReport, showValues: boolean): Content[] {
  const checks = collectChecks(report);
  if (checks.length === 0) return [];
  const failed = listFailedChecks(report, showValues);
  const rows = [...checks].sort((a, b) => Number(a.passed) - Number(b.passed));
  return [
    element('h2', {}, 'Checks'),
    tableElement(
      ['Result', 'Check', 'Limit', 'Measured'],
      rows
        .filter(({ limit }) => limit !== '')
        .map(({ name, limit, measured, passed }) => [
          element('span', { class: passed ? 'passed' : 'failed' }, passed ? 'passed' : 'failed'),
          name,
          limit,
          measured,
        ]),
    ),
    element(
      'ul',
      {},
      failed.flatMap(({ failures }) => failures).map((failure) => element('li', {}, failure)),
    ),
    ...failed
      .filter(({ culprits }) => culprits.length > 0)
      .map(({ name, culprits }) => [
        element('h3', {}, `Items that failed ${name}, the worst first`),
        tableElement(
          ['Score', 'Why', 'Items'],
          culprits.map(({ item, score }) => [
            score.values.replaceAll(' → ', '\u00a0→\u00a0'),
            score.why,
            item,
          ]),
        ),
      ]),
  ];
}

function figuresSection(report: RunReport, showValues: boolean): Content[] {
  const [scores, measures] = [scoreRows(report, showValues), measureRows(report)];
  return [
    ...(scores.length > 0
      ? [element('h2', {}, 'Scores'), tableElement(SCORE_COLUMNS, scores, 'figures')]
      : []),
    ...(measures.length > 0
      ? [element('h2', {}, 'Time and usage'), tableElement(MEASURE_COLUMNS, measures, 'figures')]
      : []),
  ];
}

interface KindSection {
  content: Content;
  items: number;
}

function kindSection(
  report: RunReport,
  kind: RowKind,
  { showValues, maxBytes }: Required<HtmlOptions>,
): KindSection {
  const rows = groupedRows(report).filter((row) => row.kind === kind);
  const items = rows.reduce((sum, row) => sum + row.items.length, 0);
  if (kind === 'unchanged') {
    const listed = maxBytes < 200 * items ? [] : rows.slice(0, MOST_UNCHANGED);
    return { items, content: wrap(kind, items, unchangedTable(listed, items)) };
  }
  let left = maxBytes - 500;
  let shown = 0;
  const articles: Markup[] = [];
  for (const row of rows) {
    const article = rowArticle(collectFacts(row, { showValues, longest: LONGEST_VALUE }), kind);
    left -= byteLength(article.html);
    if (left < 0) break;
    articles.push(article);
    shown += row.items.length;
  }
  const more = items - shown;
  const note = more > 0 ? element('p', { class: 'soft' }, `${plural(more, 'more item', 'more items')}.`) : [];
  return { items, content: wrap(kind, items, [...articles, note]) };
}

function wrap(kind: RowKind, items: number, content: Content): Markup {
  return element(
    'section',
    { class: `kind ${kind}` },
    element('h2', {}, `${KIND_TITLES[kind]} (${items})`),
    content,
  );
}

function filterForm(sections: readonly { kind: RowKind; items: number }[]): Content {
  if (sections.length < 2) return [];
  const all = sections.reduce((sum, { items }) => sum + items, 0);
  const choice = (id: string, text: string, checked?: string): Markup =>
    element(
      'label',
      {},
      element('input', { type: 'radio', name: 'show', id: `show-${id}`, checked }),
      ` ${text}`,
    );
  return element(
    'fieldset',
    {},
    element('legend', {}, 'Show'),
    choice('all', `All (${all})`, ''),
    ...sections.map(({ kind, items }) => choice(kind, `${KIND_TITLES[kind]} (${items})`)),
  );
}
