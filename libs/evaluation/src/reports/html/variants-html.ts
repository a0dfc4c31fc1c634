import { plural } from '../../gate/words.js';
import type { HtmlOptions } from '../../run/report-options.js';
import {
  describeVariants,
  rankedRows,
  showOutputs,
  showScores,
  variantFigures,
  variantSentences,
  type VariantCell,
  type VariantsReport,
} from '../variants-report.js';
import { byteLength } from '../words.js';
import { type Content, element, type Markup, render, webLink } from './markup.js';
import { page, tableElement } from './page.js';

/** The content of {@link toVariantsMarkdown} as a single page. */
export function toVariantsHtml(
  report: VariantsReport,
  { showValues = true, maxBytes = 4_000_000 }: HtmlOptions = {},
): string {
  const { title, variants } = report;
  const decision = describeVariants(report);
  const names = variants.map(({ name }) => name);
  const { failures, compared } = variantSentences(report);
  const figures = variantFigures(report);
  const head = [
    element(
      'h1',
      {},
      element('span', { class: toneClass(variants.map((one) => one.report.passed)) }, decision),
      `: ${title}`,
    ),
    tableElement(
      figures.columns,
      figures.rows.map(([name = '', result = '', ...cells], at) => {
        const { passed, testRunUrl } = variants[at]?.report ?? {};
        const address = webLink(name, testRunUrl);
        const tone = element('span', { class: toneClass([passed]) }, result);
        return [Array.isArray(address) ? name : address, tone, ...cells];
      }),
      'figures',
    ),
    list(failures),
    ...(compared.length === 0 ? [] : [element('h2', {}, 'Comparison'), list(compared)]),
    ...report.pages.map(({ pair, url }) => element('p', {}, webLink(`Compare the items of ${pair}`, url))),
  ];
  let left = Math.max(20_000, maxBytes) - byteLength(render(head)) - 8_000;
  const rows = rankedRows(report);
  const lines: Content[][] = [];
  for (const { name, input, cells } of rows) {
    const line = [
      name,
      ...(showValues ? [element('pre', {}, input)] : []),
      ...names.map((variant) => showCell(cells.get(variant) ?? [], showValues)),
    ];
    left -= byteLength(render(line)) + 10 * line.length;
    if (left < 0) break;
    lines.push(line);
  }
  const more = rows.length - lines.length;
  return page(`${title}: ${decision}`, [
    head,
    element('h2', {}, `Items (${rows.length})`),
    tableElement(['Item', ...(showValues ? ['Input'] : []), ...names], lines),
    more > 0 ? element('p', { class: 'soft' }, `${plural(more, 'more item', 'more items')}.`) : [],
  ]);
}

function toneClass(passed: readonly (boolean | undefined)[]): string | undefined {
  if (passed.includes(false)) return 'failed';
  return passed.includes(undefined) ? undefined : 'passed';
}

function list(sentences: readonly string[]): Content {
  return sentences.length === 0
    ? []
    : element(
        'ul',
        {},
        sentences.map((text) => element('li', {}, text)),
      );
}

function showCell(cells: readonly VariantCell[], showValues: boolean): Markup | string {
  if (cells.length === 0) return '…';
  const tone = cells.some(({ isError }) => isError) ? 'failed' : undefined;
  return element(
    'div',
    {},
    showValues ? element('pre', { class: tone }, showOutputs(cells)) : [],
    element('div', { class: 'soft' }, showScores(cells)),
  );
}
