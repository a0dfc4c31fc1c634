import type { Gate } from '@dacapo/evaluation';
import type { Command } from 'commander';
import { UsageError } from '../errors.js';
import type { CliIo } from '../io.js';
import { type ConnectionOptions, withConnection } from '../service/connection.js';
import { findPlayable } from './find-playable.js';
import { loadEvaluators, loadModule } from './load-module.js';
import { playAndDecide } from './play-and-decide.js';
import { readGateWord } from './read-words.js';
import { type ReportFiles, reportFilesOf, withReportFiles } from './run-report.js';
import { playedDataOf, playOptionsOf, type RunWords, withRunWords } from './run-words.js';

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
    .option('--export <name>', 'which export of the entry to replay')
    .option('--evaluators <file>', 'a module of functions that judge each item: its scores')
    .option('--gate <json|file>', 'what the run must keep to pass, as {"errors":0}');
  withConnection(withRunWords(withReportFiles(command)))
    .addHelpText('after', HELP)
    .action((entry: string, options: ReplayOptions) => replay(entry, options, io));
}

async function replay(entryName: string, options: ReplayOptions, io: CliIo): Promise<void> {
  const data = playedDataOf(options);
  const files = reportFilesOf(options);
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
  await playAndDecide({ playable, data, playOptions, files, isResumable: true }, options, io);
}

/** @throws UsageError for a limit on durations that nothing comparable is measured for */
function checkTimeLimit(gate: Gate | undefined, baseline: RunWords['baseline']): void {
  const runsBeside = baseline === 'self' || (typeof baseline === 'object' && 'file' in baseline);
  if (gate?.p95Ms === undefined || runsBeside) return;
  throw new UsageError(
    '--gate limits p95Ms, and durations are comparable only with a version that runs in the same process. Compare with --baseline file#export, or remove p95Ms.',
  );
}
