import type { Command } from 'commander';
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { ApiKeyMissingError, errorCode } from '../errors.js';
import { exitCodeFor } from '../exit-code-for.js';
import type { CliIo } from '../io.js';
import { formatError } from '../output/format-error.js';
import { counted } from '../output/table.js';
import { loadModule } from '../replay/load-module.js';
import { type ReportFiles, readReportFiles, withReportFiles } from '../replay/run-report.js';
import { type ConnectionOptions, withConnection } from '../service/connection.js';
import { watchMissingModule } from '../supervision/watch-eval.js';
import { EvalInterruptedError, EvalsFailedError } from './errors.js';
import { evalJson, evalText, writeEvalReports } from './eval-report.js';
import { EvalTracers } from './eval-tracers.js';
import { findEvalFiles } from './find-eval-files.js';
import { registerTypeScript } from './load-typescript.js';
import { readEvalData } from './read-data.js';
import { readEval } from './read-eval.js';
import { checkEvaluated, type EvaluatedFile, runEval } from './run-eval.js';
import { StopRequest } from './stop-request.js';

interface EvalOptions extends ConnectionOptions, ReportFiles {
  readonly watch?: true;
}

interface FailedFile {
  readonly file: string;
  readonly error: unknown;
}

const HELP = `
The default export of a file is an argument of defineEval: { data, function, evaluators, gate, variants }.
TypeScript is loaded with tsx, @swc-node/register or ts-node of the project, or by Node itself.
Without an API key, runs stay in memory; with one, the service stores them. Output of your code goes to stderr.`;

/** `dacapo eval`: runs eval files, each with data, a function and evaluators. */
export function addEvalCommand(program: Command, io: CliIo): void {
  const command = program
    .command('eval')
    .argument('[files...]', 'eval files, folders or patterns (**/*.eval.ts)')
    .description('evaluate functions on data, as defined in eval files')
    .option('--watch', 'run again when a file or a module that it imports changes');
  withConnection(withReportFiles(command))
    .addHelpText('after', HELP)
    .action((words: string[], options: EvalOptions) => evaluateFiles(words, options, io));
}

async function evaluateFiles(words: readonly string[], options: EvalOptions, io: CliIo): Promise<void> {
  const files = await findEvalFiles(words);
  const reportFiles = readReportFiles(options);
  const tracers = new EvalTracers(options, io.env);
  io.hostApplication({
    ...(options.url !== undefined && { TRACER_SERVICE_URL: options.url }),
    ...(options.apiKey !== undefined && { TRACER_API_KEY: options.apiKey }),
  });
  const notices = new Notices(options, io);
  const stop = new StopRequest(io, () => {
    notices.print('Stopping after the running calls. Press Ctrl+C again to stop at once.');
  });
  const evaluated: EvaluatedFile[] = [];
  const failed: FailedFile[] = [];
  const fail = (file: string, error: unknown): void => {
    failed.push({ file, error });
    watchMissingModule(error);
    if (files.length > 1 && options.json !== true)
      io.stderr.write(formatError(error, { isJson: false, env: io.env }));
  };
  try {
    for (const file of files) {
      try {
        if (stop.signal.aborted) throw new EvalInterruptedError(file, stop.stopped);
        const done = await evaluateFile(file, { options, io, tracers, notices, stop });
        evaluated.push(done);
        if (options.json !== true) io.stdout.write(`${evalText(done, terminalWidth(io))}\n`);
        checkEvaluated(done, stop);
      } catch (error) {
        fail(file, error);
      }
    }
  } finally {
    await tracers.close();
  }
  await writeEvalReports(evaluated, reportFiles);
  if (options.json === true) io.stdout.write(`${JSON.stringify(toEvalsJson(evaluated, failed))}\n`);
  else if (files.length > 1) io.stdout.write(summarize(files, failed));
  throwFailure(files, failed);
}

interface FileConditions {
  readonly options: EvalOptions;
  readonly io: CliIo;
  readonly tracers: EvalTracers;
  readonly notices: Notices;
  readonly stop: StopRequest;
}

async function evaluateFile(
  file: string,
  { options, io, tracers, notices, stop }: FileConditions,
): Promise<EvaluatedFile> {
  const loader = await registerTypeScript(realpathSync(resolve(file)), { env: io.env });
  if (loader !== undefined) notices.print(`TypeScript is loaded by ${loader.name}.`);
  const entry = await loadModule(file, loader?.importPath);
  const { tracer, tracerPackage } = await tracers.of(entry);
  const { EVAL_FIELDS } = await import('@dacapo/tracer/internal');
  const plan = readEval(entry, EVAL_FIELDS, tracerPackage);
  const data = await readEvalData(plan, entry.path);
  if (!tracer.enabled && !Array.isArray(data)) throw new ApiKeyMissingError();
  if (!tracer.enabled)
    notices.print('No API key: runs stay in memory. Set TRACER_API_KEY or pass --api-key to store them.');
  return runEval(plan, data, { tracer, io, stop, isJson: options.json === true });
}

/** Prints each notice once, and none with `--json`. */
class Notices {
  private readonly printed = new Set<string>();

  constructor(
    private readonly options: EvalOptions,
    private readonly io: CliIo,
  ) {}

  print(text: string): void {
    if (this.options.json === true || this.printed.has(text)) return;
    this.printed.add(text);
    this.io.stderr.write(`${text}\n`);
  }
}

function terminalWidth({ stdout }: CliIo): number | undefined {
  return stdout.isTTY === true ? stdout.columns : undefined;
}

function toEvalsJson(evaluated: readonly EvaluatedFile[], failed: readonly FailedFile[]): object {
  return {
    evals: evaluated.map(evalJson),
    failed: failed.map(({ file, error }) => ({
      file,
      code: errorCode(error),
      message: error instanceof Error ? error.message : String(error),
    })),
  };
}

function summarize(files: readonly string[], failed: readonly FailedFile[]): string {
  const lines = files.map((file) => {
    const failure = failed.find((one) => one.file === file);
    return `${failure === undefined ? '✓' : '✗'} ${file}${failure === undefined ? '' : ` (${errorCode(failure.error) ?? 'error'})`}\n`;
  });
  return `${counted(files.length, 'eval file')}, ${failed.length} failed\n${lines.join('')}`;
}

/** @throws the error of the only file, or EvalsFailedError for several files */
function throwFailure(files: readonly string[], failed: readonly FailedFile[]): void {
  const [first] = failed;
  if (first === undefined) return;
  if (files.length === 1) throw first.error;
  throw new EvalsFailedError(
    failed.map(({ file, error }) => ({ file, exitCode: exitCodeFor(error) })),
    files.length,
  );
}
