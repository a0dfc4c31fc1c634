import { decisionOf, toText } from '@dacapo/evaluation';
import type { PlayOptions, ReplayResult } from '@dacapo/tracer';
import type { CliIo, StopSignal } from '../io.js';
import { print } from '../output/print.js';
import { counted } from '../output/table.js';
import { GateFailedError, NothingToReplayError, RunInterruptedError } from './errors.js';
import { loadBaseline } from './load-module.js';
import type { Playable } from './playable.js';
import { Progress } from './progress.js';
import { jsonOf, type ReportFiles, type RunTold, tellRun, writeReports } from './run-report.js';
import type { PlayedData, RunWords } from './run-words.js';

export interface RunToPlay {
  readonly playable: Playable;
  readonly data: PlayedData;
  readonly playOptions: PlayOptions;
  /** Absolute: the application may change the working directory. */
  readonly files: ReportFiles;
  /** A run that ends early can be resumed. */
  readonly isResumable: boolean;
}

type PrintOptions = Pick<RunWords, 'baseline'> & { readonly json?: true };

/**
 * Runs what is playable, writes the reports, and makes the exit code.
 *
 * @throws RunInterruptedError, NothingToReplayError, GateFailedError
 */
export async function playAndDecide(run: RunToPlay, options: PrintOptions, io: CliIo): Promise<void> {
  const { told, signal } = await play(run, options, io);
  await writeReports(told, run.files);
  print(io, options, jsonOf(told), textOf(told, run.isResumable));
  checkOutcome(told, signal, run.isResumable);
}

async function play(
  { playable, data, playOptions }: RunToPlay,
  { json, baseline }: PrintOptions,
  io: CliIo,
): Promise<{ told: RunTold; signal: StopSignal | undefined }> {
  const tell = (text: string): unknown => json || io.stderr.write(`${text}\n`);
  const { what, leftOut } = playable;
  if (leftOut.length > 0) tell(`Left out of the application: ${leftOut.join(', ')}`);
  const stop = new AbortController();
  let stopped: StopSignal | undefined;
  void io.untilStopped().then((signal) => {
    stopped = signal;
    tell('Stopping: calls that are under way end; press Ctrl+C again to stop at once.');
    stop.abort();
  });
  const progress = new Progress(json ? { write: () => undefined } : io.stderr);
  let playedBefore = 0;
  let result: ReplayResult;
  try {
    // Not before the entry is there: a tracer that this module makes is not the one that replays.
    const other =
      typeof baseline === 'object' && 'file' in baseline ? await loadBaseline(baseline) : undefined;
    result = await playable.play(data, {
      ...playOptions,
      ...(other && { baseline: other }),
      keep: 'none',
      signal: stop.signal,
      onStart: (run) => {
        playedBefore = run.playedBefore;
        io.reportRun?.({ testRunId: run.testRunId, status: 'running' });
        progress.start(run);
      },
      onItem: (item) => {
        progress.add(item.verdict);
      },
    });
    io.reportRun?.({ testRunId: result.testRunId, status: result.status });
  } finally {
    progress.end();
    await playable.close();
  }
  if (playedBefore > 0)
    result.warnings.push(
      `${counted(playedBefore, 'item')} had been replayed before: reports list them without values, and the functions that ran inside are those of now.`,
    );
  return { told: tellRun(what, leftOut, result), signal: stopped };
}

function textOf(run: RunTold, isResumable: boolean): string {
  const resume =
    run.status === 'interrupted' && isResumable
      ? `\nRun the same command with --resume ${run.testRunId}\n`
      : '';
  return `${toText(run)}${resume}`;
}

/** @throws RunInterruptedError, NothingToReplayError, GateFailedError */
function checkOutcome(run: RunTold, signal: StopSignal | undefined, isResumable: boolean): void {
  if (run.status === 'interrupted') throw new RunInterruptedError(run.testRunId, signal, isResumable);
  if (run.totals.items === 0) throw new NothingToReplayError(run.totals.skipped, run.warnings);
  if (run.passed === false) throw new GateFailedError(decisionOf(run));
}
