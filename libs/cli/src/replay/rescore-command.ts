import type { Command } from 'commander';
import type { CliIo } from '../io.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { findRunId } from '../runs/find-run.js';
import { ServiceClient } from '../service/service-client.js';
import { loadEvaluators } from './load-module.js';
import { runAndDecide } from './run-and-decide.js';
import type { Replayable } from './replayable.js';
import { readGateWord, wholeNumber } from '../output/read-words.js';
import { type ReportFiles, readReportFiles, withReportFiles } from './run-report.js';

interface RescoreOptions extends ConnectionOptions, ReportFiles {
  readonly evaluators: string;
  readonly gate?: string;
  readonly name?: string;
  readonly timeout?: number;
  readonly concurrency?: number;
}

/** `dacapo rescore`: runs other evaluators on the stored outcomes of a run, without replaying it. */
export function addRescoreCommand(program: Command, io: CliIo): void {
  const command = program
    .command('rescore')
    .argument('<run>', 'a finished test run: its id, the beginning of its id, or its name')
    .description('score the stored outcomes of a run again, as a new run')
    .requiredOption('--evaluators <file[#export]>', 'a module that exports evaluators, which score each item')
    .option(
      '--gate <json|file>',
      'the gate that the new run must pass, such as {"scores":{"polite":{"min":0.9}}}',
    )
    .option('--name <name>', 'the name of the new run')
    .option('--concurrency <items>', 'items scored at the same time (default: 10)', wholeNumber(1))
    .option('--timeout <ms>', 'timeout for each evaluator in ms (default: 120000)', wholeNumber(1));
  withConnection(withReportFiles(command)).action((run: string, options: RescoreOptions) =>
    rescore(run, options, io),
  );
}

async function rescore(word: string, options: RescoreOptions, io: CliIo): Promise<void> {
  const { url, apiKey } = resolveConnection(options, io.env);
  const files = readReportFiles(options);
  const gate = options.gate === undefined ? undefined : await readGateWord(options.gate);
  const run = await findRunId(new ServiceClient({ url, apiKey }), word);
  io.hostApplication({ TRACER_SERVICE_URL: url, TRACER_API_KEY: apiKey });
  const evaluators = await loadEvaluators(options.evaluators);
  const { Tracer } = await import('@dacapo/tracer');
  const tracer = new Tracer({ serviceUrl: url, apiKey });
  const replayable: Replayable = {
    what: options.name ?? `run ${run}`,
    leftOut: [],
    replay: (_, { gate: limits, keep, signal, onStart, onItem }) =>
      tracer.rescore(run, {
        evaluators,
        gate: limits,
        keep,
        signal,
        onStart,
        onItem,
        name: options.name,
        timeoutMs: options.timeout,
        maxConcurrency: options.concurrency,
      }),
    close: () => tracer.shutdown(),
  };
  await runAndDecide(
    { replayable, data: {}, replayOptions: { gate }, files, isResumable: false },
    options,
    io,
  );
}
