import { parse } from 'node:path';
import {
  describeComparison,
  stripControlCharacters,
  toText,
  toVariantsHtml,
  toVariantsMarkdown,
  type VariantsReport,
} from '@dacapo/evaluation';
import { counted } from '../output/table.js';
import { writeOutput } from '../output/write-output.js';
import { toRunJson, type ReportFiles, writeReports } from '../replay/run-report.js';
import { gridTable } from './grid-table.js';
import type { EvaluatedFile } from './run-eval.js';

/** `--json`, the reports and the page of the run show all rows. */
const MOST_ROWS = 50;

/** Formats the table, the comparisons of variants, and the decision and figures of each run. */
export function evalText(evaluated: EvaluatedFile, width: number | undefined): string {
  const { plan, grid, runs, comparisons } = evaluated;
  const rows = grid.rows();
  const variants = plan.variants.length > 1 ? `, ${counted(plan.variants.length, 'variant')}` : '';
  const more = rows.length > MOST_ROWS ? `and ${counted(rows.length - MOST_ROWS, 'more item')}\n` : '';
  const blocks = [
    `${stripControlCharacters(plan.file)}: ${counted(rows.length, 'item')}${variants}\n`,
    rows.length === 0 ? '' : `${gridTable(grid, rows.slice(0, MOST_ROWS), width)}${more}`,
    [
      ...comparisons.map((comparison) => stripControlCharacters(describeComparison(comparison))),
      ...listComparisonPages(runs).map(({ pair, url }) => stripControlCharacters(`${pair}: ${url}`)),
    ]
      .map((line) => `${line}\n`)
      .join(''),
    ...runs.map(({ run }) => {
      // Items and comparisons are already printed above.
      const notes = (run.notes ?? []).filter(
        (note) => !comparisons.some((one) => describeComparison(one) === note),
      );
      return toText({ ...run, notes, items: [] });
    }),
  ];
  return blocks.filter((block) => block !== '').join('\n');
}

/** Pages of the service that compare two variants item by item; none for runs in memory. */
function listComparisonPages(runs: EvaluatedFile['runs']): VariantsReport['pages'] {
  return runs.flatMap((one, index) =>
    runs
      .slice(0, index)
      .filter(() => one.run.testRunUrl !== '')
      .map((other) => ({
        pair: `${other.variant} and ${one.variant}`,
        url: `${one.run.testRunUrl}/compare?with=${other.run.testRunId}`,
      })),
  );
}

/** For `--json`: rows with outputs, runs and comparisons. */
export function evalJson({ plan, grid, runs, comparisons }: EvaluatedFile): object {
  return {
    file: plan.file,
    name: plan.name,
    rows: grid.rows().map(({ itemNo, name, input, cells }) => ({
      itemNo,
      ...(name !== undefined && { name }),
      input,
      outcomes: [...cells].flatMap(([variant, all]) =>
        all.map(({ repetition, text, isError, scores, durationMs, output }) => ({
          ...(variant !== '' && { variant }),
          repetition,
          ...(isError ? { error: text } : { output }),
          scores,
          durationMs,
        })),
      ),
    })),
    runs: runs.map(({ variant, run }) => ({ ...(variant !== '' && { variant }), ...toRunJson(run) })),
    comparisons: comparisons.map((comparison) => ({ ...comparison, text: describeComparison(comparison) })),
  };
}

/**
 * Writes the reports of each run. With several runs, file names get a suffix: `junit.xml` becomes `junit.support.xml`, or
 * `junit.support.short.xml` for a variant. An eval file with variants also gets a comment and a page that compare them: `comment.md`,
 * or `comment.support.md` with several eval files.
 *
 * @throws FileUnwritableError
 */
export async function writeEvalReports(
  evaluated: readonly EvaluatedFile[],
  files: ReportFiles,
): Promise<void> {
  const runs = evaluated.flatMap(({ plan, runs: ofFile }) =>
    ofFile.map(({ variant, run }) => ({ run, suffix: [plan.name, variant].filter((part) => part !== '') })),
  );
  for (const { run, suffix } of runs) {
    const named = runs.length === 1 ? files : renameFiles(files, suffix);
    await writeReports(run, named);
  }
  for (const one of evaluated.filter(({ plan }) => plan.variants.length > 1)) {
    const { markdown, html } = evaluated.length === 1 ? files : renameFiles(files, [one.plan.name]);
    const report = variantsReport(one);
    if (markdown !== undefined) await writeOutput(markdown, toVariantsMarkdown(report));
    if (html !== undefined) await writeOutput(html, toVariantsHtml(report));
  }
}

function variantsReport({ plan, grid, runs, comparisons }: EvaluatedFile): VariantsReport {
  return {
    title: plan.name,
    variants: runs.map(({ variant, run }) => ({ name: variant, report: run })),
    comparisons,
    pages: listComparisonPages(runs),
    rows: grid.rows().map(({ itemNo, name, ...row }) => ({ ...row, name: name ?? `#${itemNo}` })),
  };
}

function renameFiles(files: ReportFiles, suffix: readonly string[]): ReportFiles {
  const safe = suffix.map((part) => part.replace(/[^\p{L}\p{N}_-]+/gu, '-')).join('.');
  return Object.fromEntries(
    Object.entries(files).map(([format, path]: [string, string]) => {
      const { dir, name, ext } = parse(path);
      return [format, `${dir}/${name}.${safe}${ext}`];
    }),
  );
}
