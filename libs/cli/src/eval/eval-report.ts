import { parse } from 'node:path';
import { describeComparison, stripControlCharacters, toText } from '@dacapo/evaluation';
import { counted } from '../output/table.js';
import { jsonOf, type ReportFiles, writeReports } from '../replay/run-report.js';
import { gridTable } from './grid-table.js';
import type { EvaluatedFile } from './run-eval.js';

/** More rows are left to `--json`, the reports and the page of the run. */
const MOST_ROWS = 50;

/** The table, the comparison of variants, then the decision and the figures of each run. */
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
      ...pagesOf(runs),
    ]
      .map((line) => `${line}\n`)
      .join(''),
    ...runs.map(({ run }) => {
      // The table shows the items, and the comparisons are above.
      const notes = (run.notes ?? []).filter(
        (note) => !comparisons.some((one) => describeComparison(one) === note),
      );
      return toText({ ...run, notes, items: [] });
    }),
  ];
  return blocks.filter((block) => block !== '').join('\n');
}

/** Where the service shows two variants item by item; none for runs in memory. */
function pagesOf(runs: EvaluatedFile['runs']): string[] {
  return runs.flatMap((one, index) =>
    runs
      .slice(0, index)
      .filter(() => one.run.testRunUrl !== '')
      .map(
        (other) =>
          `${stripControlCharacters(`${other.variant} and ${one.variant}`)}: ${one.run.testRunUrl}/compare?with=${other.run.testRunId}`,
      ),
  );
}

/** Everything for machines: rows with outputs, runs and comparisons. */
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
    runs: runs.map(({ variant, run }) => ({ ...(variant !== '' && { variant }), ...jsonOf(run) })),
    comparisons: comparisons.map((comparison) => ({ ...comparison, text: describeComparison(comparison) })),
  };
}

/**
 * Writes the reports of each run. Where there are several runs, each has a file of its own: `junit.xml` becomes `junit.support.xml`,
 * or `junit.support.short.xml` of a variant.
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
