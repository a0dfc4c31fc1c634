import { needsReview, type RunReport, toHtml, toJUnit, toMarkdown } from '@dacapo/evaluation';
import type { ReplayResult } from '@dacapo/tracer';
import type { Command } from 'commander';
import { resolve } from 'node:path';
import { writeOutput } from '../output/write-output.js';

/** The printed result of a run. */
export type FinishedRun = RunReport &
  Pick<ReplayResult, 'testRunId' | 'testRunUrl' | 'status' | 'noise' | 'warnings'> & {
    /** Background work of the application that was skipped. */
    readonly leftOut: readonly string[];
  };

/** Paths of report files, by option. */
export interface ReportFiles {
  readonly junit?: string;
  readonly markdown?: string;
  readonly html?: string;
}

/** @param title what was replayed */
export function describeRun(title: string, leftOut: readonly string[], result: ReplayResult): FinishedRun {
  const { testRunId, testRunUrl, status, noise, warnings } = result;
  return {
    ...result.report(),
    testRunId,
    testRunUrl,
    status,
    warnings,
    title,
    leftOut,
    ...(noise && { noise }),
  };
}

const REPORT_FILES = ['junit', 'markdown', 'html'] as const satisfies (keyof ReportFiles)[];

export function withReportFiles(command: Command): Command {
  return command
    .option('--junit <file>', 'write a JUnit XML report to this file')
    .option('--markdown <file>', 'write a pull request comment (Markdown) to this file')
    .option('--html <file>', 'write a page with the items to review to this file');
}

/** Makes the given paths absolute, because the application may change the working directory. */
export function readReportFiles(options: ReportFiles): ReportFiles {
  const named = REPORT_FILES.flatMap((format) => {
    const { [format]: path } = options;
    return path === undefined ? [] : [[format, resolve(path)] as const];
  });
  return Object.fromEntries(named);
}

/** @throws FileUnwritableError */
export async function writeReports(run: FinishedRun, { junit, markdown, html }: ReportFiles): Promise<void> {
  if (junit !== undefined) await writeOutput(junit, toJUnit(run));
  if (markdown !== undefined) await writeOutput(markdown, toMarkdown(run));
  if (html !== undefined) await writeOutput(html, toHtml(run));
}

/** For `--json`: the figures, and the items to look at. */
export function toRunJson(run: FinishedRun): object {
  return { ...run, items: run.items.filter(needsReview) };
}
