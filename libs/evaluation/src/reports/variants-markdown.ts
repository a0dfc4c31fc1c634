import { plural } from '../gate/words.js';
import { bullets, code, CommentBlocks, escape, link, table } from './markdown-syntax.js';
import type { MarkdownOptions } from '../run/report-options.js';
import {
  describeVariants,
  rankedRows,
  showOutputs,
  showScores,
  variantFigures,
  variantSentences,
  type VariantRow,
  type VariantsReport,
} from './variants-report.js';

const LONGEST_OUTPUT = 120;

/**
 * Formats several variants as one pull request comment: scores, pairwise comparisons, then a grid of items and variants, with the largest
 * differences first. The report of each variant has the details.
 */
export function toVariantsMarkdown(
  report: VariantsReport,
  { maxCharacters, showValues = true }: MarkdownOptions = {},
): string {
  const blocks = new CommentBlocks(maxCharacters);
  const { failures, compared } = variantSentences(report);
  const figures = variantFigures(report);
  const links = report.variants.map(({ name, report: { testRunUrl } }) => link(escape(name), testRunUrl));
  const pages = report.pages.map(({ pair, url }) => link(escape(pair), url)).filter((page) => page !== '');
  const head = [
    `## ${escape(describeVariants(report))}: ${escape(report.title)}`,
    ...table(
      figures.columns.map((column) => escape(column)),
      figures.rows.map(([name = '', ...cells], at) => [
        links[at] || escape(name),
        ...cells.map((cell) => escape(cell)),
      ]),
    ),
    ...bullets(failures, 'more failure'),
    ...titled('### Comparison', bullets(compared, 'more comparison')),
    ...(pages.length === 0 ? [] : [`Item by item: ${pages.join(', ')}`]),
  ];
  const isWhole = head.map((block) => blocks.add(block)).every(Boolean);
  const rows = rankedRows(report);
  const names = report.variants.map(({ name }) => name);
  const lines = rows.map((row) => rowLine(row, names, showValues));
  const shown = addGrid(
    blocks,
    ['Item', ...(showValues ? ['Input'] : []), ...names.map((name) => escape(name))],
    lines,
  );
  return blocks.text([
    ...(shown < rows.length ? [`${plural(rows.length - shown, 'more item', 'more items')}.`] : []),
    ...(isWhole ? [] : ['Some parts of the report are too long for a comment.']),
  ]);
}

function titled(title: string, blocks: readonly string[]): string[] {
  return blocks.length === 0 ? [] : [title, ...blocks];
}

function rowLine(
  { name, input, cells }: VariantRow,
  names: readonly string[],
  showValues: boolean,
): string[] {
  return [
    escape(name),
    ...(showValues ? [code(input, LONGEST_OUTPUT)] : []),
    ...names.map((variant) => {
      const own = cells.get(variant) ?? [];
      if (own.length === 0) return '…';
      const output = showValues ? code(showOutputs(own), LONGEST_OUTPUT) : '';
      return [output, escape(showScores(own))].filter((part) => part !== '').join('<br>');
    }),
  ];
}

/** Halves the number of lines until the grid fits. @returns the number of lines */
function addGrid(blocks: CommentBlocks, columns: readonly string[], lines: readonly string[][]): number {
  for (let count = lines.length; count > 0; count = Math.floor(count / 2)) {
    const [grid = ''] = table(columns, lines.slice(0, count));
    if (blocks.add(`### Items\n\n${grid}`)) return count;
  }
  return 0;
}
