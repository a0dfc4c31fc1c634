import { type Gate, toText } from '@dacapo/evaluation';
import type { PlayOptions, ReplayResult } from '@dacapo/tracer';
import type { Command } from 'commander';
import { resolve } from 'node:path';
import { GateFailedError, NothingToReplayError, RunInterruptedError } from './errors.js';
import { UsageError } from '../errors.js';
import type { CliIo, StopSignal } from '../io.js';
import { print } from '../output/print.js';
import { counted } from '../output/table.js';
import { type ConnectionOptions, withConnection } from '../service/connection.js';
import { findPlayable } from './find-playable.js';
import { loadBaseline, loadEvaluators, loadModule } from './load-module.js';
import type { Playable } from './playable.js';
import { Progress } from './progress.js';
import { readGateWord } from './read-words.js';
import { ItemCollector, jsonOf, type ReportFiles, type RunTold, writeReports } from './run-report.js';
import { type PlayedData, playedDataOf, playOptionsOf, type RunWords, withRunWords } from './run-words.js';

interface ReplayOptions extends ConnectionOptions, RunWords, ReportFiles {
  readonly key?: string;
  readonly method?: string;
  readonly export?: string;
  readonly gate?: string;
  readonly evaluators?: string;
}

const HELP = `
The entry is a compiled module that exports the function (--key, --export), or a Nest module (--method Service.method),
which is started without workers, schedules and listeners, and closed. NODE_OPTIONS='--import <loader>' loads TypeScript.
--url and --api-key reach the application as TRACER_SERVICE_URL and TRACER_API_KEY. What it prints goes to stderr.`;

/** `dacapo replay`: stored calls through the code that is here, and a decision that CI can enforce. */
export function addReplayCommand(program: Command, io: CliIo): void {
  const command = program
    .command('replay')
    .argument('<entry>', 'a module of your application')
    .description('play stored calls again through your code, and tell what changed')
    .option('--key <key>', 'the trace function key of the calls (that of the function)')
    .option('--method <Service.method>', 'the method of a Nest application that plays them')
    .option('--export <name>', 'which export of the entry is meant')
    .option('--evaluators <file>', 'a module of functions that judge each item: its scores')
    .option('--gate <json|file>', 'what the run must keep to pass, as {"errors":0}')
    .option('--junit <file>', 'write a JUnit XML report there')
    .option('--markdown <file>', 'write a comment for a pull request there');
  withConnection(withRunWords(command))
    .addHelpText('after', HELP)
    .action((entry: string, options: ReplayOptions) => replay(entry, options, io));
}

async function replay(entryName: string, options: ReplayOptions, io: CliIo): Promise<void> {
  const data = playedDataOf(options);
  // The application may change the working directory.
  const files = absolutePaths(options);
  const gate = options.gate === undefined ? undefined : await readGateWord(options.gate);
  checkTimeLimit(gate, options.baseline);
  io.hostApplication({
    ...(options.url !== undefined && { TRACER_SERVICE_URL: options.url }),
    ...(options.apiKey !== undefined && { TRACER_API_KEY: options.apiKey }),
  });
  const evaluators = options.evaluators === undefined ? undefined : await loadEvaluators(options.evaluators);
  const entry = await loadModule(entryName);
  const { key, method, export: exportName } = options;
  const playable = await findPlayable(entry, { key, method, exportName }, { ...options, env: io.env });
  const playOptions = { ...playOptionsOf(options), gate, evaluators };
  const { run, signal } = await play(playable, data, playOptions, options, io);
  await writeReports(run, files);
  print(io, options, jsonOf(run), textOf(run));
  checkOutcome(run, signal);
}

async function play(
  playable: Playable,
  data: PlayedData,
  playOptions: PlayOptions,
  { json, junit, baseline }: ReplayOptions,
  io: CliIo,
): Promise<{ run: RunTold; signal: StopSignal | undefined }> {
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
  const items = new ItemCollector(junit !== undefined);
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
        items.add(item);
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
      `${counted(playedBefore, 'item')} had been played before: figures count all, the items and the functions that ran inside are those of now.`,
    );
  return { run: items.told(what, leftOut, result), signal: stopped };
}

function absolutePaths({ junit, markdown }: ReportFiles): ReportFiles {
  return {
    ...(junit !== undefined && { junit: resolve(junit) }),
    ...(markdown !== undefined && { markdown: resolve(markdown) }),
  };
}

/** @throws UsageError for a limit on durations that nothing comparable is measured for */
function checkTimeLimit(gate: Gate | undefined, baseline: RunWords['baseline']): void {
  const runsBeside = baseline === 'self' || (typeof baseline === 'object' && 'file' in baseline);
  if (gate?.p95Ms === undefined || runsBeside) return;
  throw new UsageError(
    '--gate limits p95Ms, and durations are comparable only with a version that runs beside this one. Compare with --baseline file#export, or leave p95Ms out.',
  );
}

function textOf(run: RunTold): string {
  const warnings = run.warnings.map((warning) => `! ${warning}\n`).join('');
  const resume =
    run.status === 'interrupted' ? `\nGo on with the same command and --resume ${run.testRunId}\n` : '';
  return `${warnings}${toText(run)}${resume}`;
}

/** @throws RunInterruptedError, NothingToReplayError, GateFailedError */
function checkOutcome(run: RunTold, signal: StopSignal | undefined): void {
  if (run.status === 'interrupted') throw new RunInterruptedError(run.testRunId, signal);
  if (run.totals.items === 0) throw new NothingToReplayError(run.totals.skipped, run.warnings);
  if (run.passed === false) throw new GateFailedError(run.failures.length);
}
