import { summarizeDecision, toText } from '@dacapo/evaluation';
import type { ExecutionOptions, ReplayResult } from '@dacapo/tracer';
import type { CliIo, StopSignal } from '../io.js';
import { print } from '../output/print.js';
import { counted } from '../output/table.js';
import { GateFailedError } from '../errors.js';
import { NothingToReplayError, RunInterruptedError } from './errors.js';
import { loadBaseline } from './load-module.js';
import type { Replayable } from './replayable.js';
import { Progress } from './progress.js';
import { toRunJson, type ReportFiles, type FinishedRun, describeRun, writeReports } from './run-report.js';
import type { ReplayData, RunWords } from './run-words.js';
import { SpendingLimit } from './spending-limit.js';

export interface ReplayPlan {
  readonly replayable: Replayable;
  readonly data: ReplayData;
  readonly replayOptions: ExecutionOptions;
  /** Absolute paths, because the application may change the working directory. */
  readonly files: ReportFiles;
  /** Whether a run that ends early can be resumed. */
  readonly isResumable: boolean;
}

type PrintOptions = Pick<RunWords, 'baseline' | 'maxUsd'> & { readonly json?: true };

/**
 * Runs a replay or rescoring, writes the reports, prints the result and checks it.
 *
 * @throws RunInterruptedError, NothingToReplayError, GateFailedError, BudgetExceededError
 */
export async function runAndDecide(run: ReplayPlan, options: PrintOptions, io: CliIo): Promise<void> {
  const budget = options.maxUsd === undefined ? undefined : new SpendingLimit(options.maxUsd);
  const { finished, signal } = await runPlan(run, options, io, budget);
  await writeReports(finished, run.files);
  print(io, options, toRunJson(finished), formatRun(finished, run.isResumable));
  budget?.check();
  checkResult(finished, signal, run.isResumable);
}

async function runPlan(
  { replayable, data, replayOptions }: ReplayPlan,
  { json, baseline }: PrintOptions,
  io: CliIo,
  budget: SpendingLimit | undefined,
): Promise<{ finished: FinishedRun; signal: StopSignal | undefined }> {
  const notify = (text: string): unknown => json || io.stderr.write(`${text}\n`);
  const { what, leftOut } = replayable;
  if (leftOut.length > 0) notify(`Not started: ${leftOut.join(', ')}`);
  const stop = new AbortController();
  let stopped: StopSignal | undefined;
  void io.untilStopped().then((signal) => {
    stopped = signal;
    notify('Stopping after the running calls. Press Ctrl+C again to stop at once.');
    stop.abort();
  });
  const progress = new Progress(json ? { write: () => undefined } : io.stderr);
  let replayedBefore = 0;
  let result: ReplayResult;
  try {
    // Loaded after the entry, whose tracer must be the first one.
    const other =
      typeof baseline === 'object' && 'file' in baseline ? await loadBaseline(baseline) : undefined;
    result = await replayable.replay(data, {
      ...replayOptions,
      ...(other && { baseline: other }),
      keep: 'none',
      signal: stop.signal,
      onStart: (run) => {
        replayedBefore = run.replayedBefore;
        io.reportRun?.({ testRunId: run.testRunId, status: 'running' });
        progress.start(run);
      },
      onItem: (item) => {
        progress.add(item.verdict);
        budget?.add(item);
        if (budget?.isExceeded === true) stop.abort();
      },
    });
    io.reportRun?.({ testRunId: result.testRunId, status: result.status });
  } finally {
    progress.end();
    await replayable.close();
  }
  if (replayedBefore > 0)
    result.warnings.push(
      `${counted(replayedBefore, 'item')} replayed before this resume: reports show no values for them, and list only functions that ran since.`,
    );
  return { finished: describeRun(what, leftOut, result), signal: stopped };
}

function formatRun(run: FinishedRun, isResumable: boolean): string {
  const resume =
    run.status === 'interrupted' && isResumable
      ? `\nRun the same command with --resume ${run.testRunId}\n`
      : '';
  return `${toText(run)}${resume}`;
}

/** @throws RunInterruptedError, NothingToReplayError, GateFailedError */
function checkResult(run: FinishedRun, signal: StopSignal | undefined, isResumable: boolean): void {
  if (run.status === 'interrupted') throw new RunInterruptedError(run.testRunId, signal, isResumable);
  if (run.totals.items === 0) throw new NothingToReplayError(run.totals.skipped, run.warnings);
  if (run.passed === false) throw new GateFailedError(summarizeDecision(run));
}
