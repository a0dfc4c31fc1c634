import { formatNumber, showOutputs, showScore } from '@dacapo/evaluation';
import { table } from '../output/table.js';
import type { EvalGrid, GridCell, GridRow } from './eval-grid.js';

/** Columns are not cut below this width. */
const NARROWEST = 12;
const WIDEST = 48;
/** When the width of the terminal is unknown. */
const DEFAULT_WIDTH = 120;
const GAP = 2;

/**
 * Formats items as rows. A single function has columns for output, each score and duration. Each variant has one column, with scores in
 * brackets.
 *
 * @param rows to show
 * @param width of the terminal, in characters
 */
export function gridTable(grid: EvalGrid, rows: readonly GridRow[], width = DEFAULT_WIDTH): string {
  return grid.variants.length === 1 ? singleTable(grid, rows, width) : variantTable(grid, rows, width);
}

function singleTable(grid: EvalGrid, rows: readonly GridRow[], width: number): string {
  const [variant = ''] = grid.variants;
  const scores = [...grid.scoreNames];
  const figures = rows.map(({ cells }) => {
    const own = cells.get(variant) ?? [];
    return [...scores.map((score) => showScore(own, score)), showDuration(own)];
  });
  const heading = [...scores, 'Duration'];
  const taken = [heading, ...figures].map((row) => row.reduce((sum, cell) => sum + cell.length + GAP, 0));
  const shown = fit(width - Math.max(...taken), [
    ['Item', ...rows.map(itemName)],
    ['Input', ...rows.map(({ input }) => input)],
    ['Output', ...rows.map(({ cells }) => showOutput(cells.get(variant) ?? []))],
  ]);
  return table([heading, ...figures].map((row, at) => [...shown.map((column) => column[at] ?? ''), ...row]));
}

function variantTable(grid: EvalGrid, rows: readonly GridRow[], width: number): string {
  const columns = [
    ['Item', ...rows.map(itemName)],
    ['Input', ...rows.map(({ input }) => input), ...(grid.scoreNames.size > 0 ? ['Mean'] : [])],
    ...grid.variants.map((variant) => [
      variant,
      ...rows.map(({ cells }) => showCell(grid, cells.get(variant) ?? [])),
      describeMeans(grid, variant),
    ]),
  ];
  const shown = fit(width, columns);
  const lines = 1 + rows.length + (grid.scoreNames.size > 0 ? 1 : 0);
  return table(Array.from({ length: lines }, (_, at) => shown.map((column) => column[at] ?? '')));
}

/** Shortens the widest columns until all fit. */
function fit(width: number, columns: readonly (readonly string[])[]): string[][] {
  const widths = columns.map((column) => Math.min(WIDEST, Math.max(...column.map(({ length }) => length))));
  const total = (): number => widths.reduce((sum, one) => sum + one + GAP, -GAP);
  while (total() > width) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= NARROWEST) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return columns.map((column, at) => column.map((cell) => cut(cell, widths[at] ?? WIDEST)));
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

function itemName({ itemNo, name }: GridRow): string {
  return name ?? `#${itemNo}`;
}

function showOutput(cells: readonly GridCell[]): string {
  return cells.length === 0 ? '…' : showOutputs(cells);
}

function showCell(grid: EvalGrid, cells: readonly GridCell[]): string {
  const scores = Array.from(grid.scoreNames, (score) => showScore(cells, score));
  const output = showOutput(cells);
  return scores.length === 0 || cells.length === 0 ? output : `(${scores.join(', ')}) ${output}`;
}

function showDuration(cells: readonly GridCell[]): string {
  const known = cells.flatMap(({ durationMs }) => (durationMs === undefined ? [] : [durationMs]));
  if (known.length === 0) return '-';
  return `${formatNumber(known.reduce((sum, one) => sum + one, 0) / known.length)} ms`;
}

/** `exact 0.9, helpful 0.5 of 8`: the count is shown when some items lack the score. */
function describeMeans(grid: EvalGrid, variant: string): string {
  const scores = grid.scores().find(({ name }) => name === variant)?.scores ?? new Map<string, never>();
  const items = grid.rows().length;
  return Array.from(scores, ([name, numbers]) => {
    if (numbers.size === 0) return `${name} -`;
    const mean = [...numbers.values()].reduce((sum, one) => sum + one, 0) / numbers.size;
    return `${name} ${formatNumber(mean)}${numbers.size < items ? ` of ${numbers.size}` : ''}`;
  }).join(', ');
}
