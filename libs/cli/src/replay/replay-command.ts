import type { Gate } from '@dacapo/evaluation';
import type { Command } from 'commander';
import { UsageError } from '../errors.js';
import type { CliIo } from '../io.js';
import { findRunId, isRunId } from '../runs/find-run.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { EntryExportError } from './errors.js';
import { findReplayableFunction } from './exported-function.js';
import { exportedModules, findReplayableMethod } from './exported-module.js';
import { type LoadedModule, loadEvaluators, loadModule } from './load-module.js';
import { runAndDecide } from './run-and-decide.js';
import type { Replayable, ReplayTarget } from './replayable.js';
import { readGateWord } from '../output/read-words.js';
import { type ReportFiles, readReportFiles, withReportFiles } from './run-report.js';
import { readReplayData, readReplayOptions, type RunWords, withRunWords } from './run-words.js';

interface ReplayOptions extends ConnectionOptions, RunWords, ReportFiles {
  readonly key?: string;
  readonly method?: string;
  readonly export?: string;
  readonly gate?: string;
  readonly evaluators?: string;
}

const HELP = `
The entry is a compiled module. It exports the function (--key, --export) or a Nest module (--method Service.method).
The command starts a Nest module without workers, schedules and listeners, and closes it.
To load TypeScript, set NODE_OPTIONS='--import <loader>'. The application receives --url and --api-key as
TRACER_SERVICE_URL and TRACER_API_KEY. Its output goes to stderr.`;

/** `dacapo replay`: runs stored calls through the current code, with a decision that CI can enforce. */
export function addReplayCommand(program: Command, io: CliIo): void {
  const command = program
    .command('replay')
    .argument('<entry>', 'a module of your application')
    .description('replay stored calls through your code and report what changed')
    .option('--key <key>', 'the trace function key of the calls (default: the key of the function)')
    .option('--method <Service.method>', 'the method of the Nest application to call')
    .option('--export <name>', 'the export of the entry to replay')
    .option('--evaluators <file>', 'a module whose functions score each item')
    .option('--gate <json|file>', 'the gate that the run must pass, such as {"errors":0}');
  withConnection(withRunWords(withReportFiles(command)))
    .addHelpText('after', HELP)
    .action((entry: string, options: ReplayOptions) => replay(entry, options, io));
}

async function replay(entryName: string, words: ReplayOptions, io: CliIo): Promise<void> {
  const options = await completeRunIds(words, io);
  const data = readReplayData(options);
  const files = readReportFiles(options);
  const gate = options.gate === undefined ? undefined : await readGateWord(options.gate);
  checkTimeLimit(gate, options.baseline);
  io.hostApplication({
    ...(options.url !== undefined && { TRACER_SERVICE_URL: options.url }),
    ...(options.apiKey !== undefined && { TRACER_API_KEY: options.apiKey }),
  });
  const evaluators = options.evaluators === undefined ? undefined : await loadEvaluators(options.evaluators);
  const entry = await loadModule(entryName);
  const { key, method, export: exportName } = options;
  const replayable = await findReplayable(entry, { key, method, exportName }, { ...options, env: io.env });
  const replayOptions = { ...readReplayOptions(options), gate, evaluators };
  await runAndDecide({ replayable, data, replayOptions, files, isResumable: true }, options, io);
}

/** Replaces beginnings of ids of test runs by the ids. @throws NameAmbiguousError */
async function completeRunIds(words: ReplayOptions, io: CliIo): Promise<ReplayOptions> {
  const { resume, baseline } = words;
  const compared = typeof baseline === 'object' && 'testRunId' in baseline ? baseline.testRunId : undefined;
  if ([resume, compared].every((id) => id === undefined || isRunId(id))) return words;
  const client = new ServiceClient(resolveConnection(words, io.env));
  return {
    ...words,
    ...(resume !== undefined && { resume: await findRunId(client, resume) }),
    ...(compared !== undefined && { baseline: { testRunId: await findRunId(client, compared) } }),
  };
}

/** @throws UsageError when the gate limits durations and the baseline runs in another process */
function checkTimeLimit(gate: Gate | undefined, baseline: RunWords['baseline']): void {
  const isSameProcess = baseline === 'self' || (typeof baseline === 'object' && 'file' in baseline);
  if (gate?.p95Ms === undefined || isSameProcess) return;
  throw new UsageError(
    '--gate has p95Ms, but durations are comparable only with a version in the same process. Pass --baseline file#export, or remove p95Ms.',
  );
}

/**
 * Finds what to replay among the exports of an entry: a function, or a method of a Nest module. Starts the application of a module.
 *
 * @throws EntryExportError, MethodNotFoundError, TracerNotFoundError, ApiKeyMissingError
 */
async function findReplayable(
  entry: LoadedModule,
  target: ReplayTarget,
  connection: ConnectionOptions & { readonly env: CliIo['env'] },
): Promise<Replayable> {
  const { exportName } = target;
  if (exportName !== undefined && !entry.exports.has(exportName))
    throw new EntryExportError(entry.name, `has no export ${exportName}`, describeExports(entry));
  const modules = await exportedModules(entry, target);
  const [module, ...others] = modules.values();
  if (module === undefined) return findReplayableFunction(entry, target, connection);
  if (others.length === 0) return findReplayableMethod(entry, module, target);
  const names = [...modules.keys()].join(', ');
  throw new EntryExportError(entry.name, `exports several Nest modules: ${names}`, 'Name one with --export.');
}

function describeExports({ exports }: LoadedModule): string {
  const names = [...exports.keys()];
  return names.length === 0
    ? 'It exports nothing: export the function, or the Nest module, under a name.'
    : `It exports ${names.join(', ')}.`;
}
