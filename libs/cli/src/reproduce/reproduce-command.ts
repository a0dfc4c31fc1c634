import { existsSync } from 'node:fs';
import { join, posix, relative, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import { DEFAULT_DIRECTORY } from '../cassettes/default-directory.js';
import { findRecordedCalls, keepCall } from '../cassettes/find-recorded-calls.js';
import { NoCallToPullError } from '../cassettes/errors.js';
import { UsageError } from '../errors.js';
import { Project } from '../init/project.js';
import type { CliIo } from '../io.js';
import { runCassetteTest } from '../oracle/run-test.js';
import { print } from '../output/print.js';
import { printable } from '../output/printable.js';
import { wholeNumber } from '../output/read-words.js';
import { counted } from '../output/table.js';
import { writeOutput } from '../output/write-output.js';
import { stopOnSignal } from '../programs/stop-on-signal.js';
import { findProjectConfig } from '../project-config/project-config.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { FileExistsError, NotReproducedError } from './errors.js';
import { findFailedCall } from './find-failed-call.js';
import { planTest } from './plan-test.js';
import { detectRunner } from '../oracle/test-runner.js';
import { type TestPlan, writeTest } from './test-source.js';

interface ReproduceWords extends ConnectionOptions {
  readonly key?: string;
  readonly name?: string;
  readonly out?: string;
  readonly run?: true;
  readonly timeout: number;
}

/** `dacapo reproduce`: a failed call as a cassette and a failing test. */
export function addReproduceCommand(program: Command, io: CliIo): void {
  withConnection(program.command('reproduce').argument('<call>', 'a trace or its beginning, or trace/span'))
    .description(
      'write a failed call as a cassette, masked again, and as a test that is red until it is fixed',
    )
    .option('--key <key>', 'the trace function key of the call (default: the outermost failed call)')
    .option(
      '--name <name>',
      'the name of the cassette, such as refund/lost (default: from the id of the trace)',
    )
    .option('--out <file>', 'the file of the test (default: where the project has its tests)')
    .option('--run', 'run the test; exit code 1 unless it is red')
    .option('--timeout <s>', 'timeout of the test in seconds', wholeNumber(1), 300)
    .action((call: string, words: ReproduceWords) => reproduce(call, words, io));
}

/** @throws NoFailedCallError, FileExistsError, NotReproducedError, UsageError */
async function reproduce(word: string, words: ReproduceWords, io: CliIo): Promise<void> {
  const { readCassette, toCassetteFile, writeCassette } = await import('@dacapo/testing/internal');
  const folder = process.cwd();
  const config = findProjectConfig(folder);
  const project = await Project.open(folder);
  const runner = detectRunner(project, config?.test?.command);
  const client = new ServiceClient(resolveConnection(words, io.env));
  const { traceId, spanId, key } = await findFailedCall(client, word, words.key);
  const name = words.name ?? `reproduced-${traceId.slice(0, 13)}`;
  const directory = config?.test?.cassettes ?? DEFAULT_DIRECTORY;
  const cassette = toCassetteFile(join(folder, directory), name);
  const out = words.out === undefined ? undefined : readOut(folder, words.out);
  const plan = await planTest(project, { cassette: name, key, runner, config, out });
  for (const path of [relative(folder, cassette), plan.file])
    if (existsSync(join(folder, path))) throw new FileExistsError(path);
  const calls = keepCall(await findRecordedCalls(client, key, traceId), spanId);
  if (calls.length === 0) throw new NoCallToPullError(key, traceId);
  writeCassette(cassette, { calls, traceId });
  await writeOutput(join(folder, plan.file), writeTest(plan));
  const written = readCassette(cassette).calls;
  const error = written.find(({ parent }) => parent === undefined)?.error;
  const file = relative(folder, cassette).split(sep).join('/');
  const result = {
    cassette: file,
    test: plan.file,
    trace_id: traceId,
    span_id: spanId,
    key,
    runner: runner.name,
    command: [...runner.command, plan.file],
    subject: plan.subject,
  };
  const isRed = words.run === true ? await runTest(plan, cassette, words, io) : undefined;
  print(
    io,
    words,
    { ...result, ...(isRed !== undefined && { red: isRed === '' }) },
    [
      `Wrote ${file}: 1 call of ${printable(key)}, ${counted(written.length - 1, 'inner call')}, masked.`,
      `Wrote ${plan.file}: ${describeSubject(plan)}.`,
      printable(`The call failed with ${error?.name ?? 'an error'}: ${error?.message ?? 'unknown'}`),
      ...(isRed === undefined
        ? [`Run it, and see it fail: ${[...runner.command, plan.file].join(' ')}`]
        : isRed === ''
          ? ['Red: the test fails as the call did.']
          : []),
      `After the fix: dacapo prove ${name}`,
    ].join('\n'),
  );
  if (isRed !== undefined && isRed !== '') throw new NotReproducedError(isRed);
}

/** @returns why it is not red, or an empty text */
async function runTest(plan: TestPlan, cassette: string, words: ReproduceWords, io: CliIo): Promise<string> {
  const { hashCassette } = await import('@dacapo/testing/internal');
  const config = findProjectConfig(process.cwd());
  const { command } = detectRunner(await Project.open(process.cwd()), config?.test?.command);
  const { state, reason } = await runCassetteTest(
    { command, testFile: plan.file, sha256: hashCassette(cassette) },
    { cwd: process.cwd(), env: io.env, timeoutMs: words.timeout * 1000, signal: stopOnSignal(io) },
  );
  if (state === 'red') return '';
  if (state === 'green')
    return 'the call does not fail with this code. Check out the code that ran in production, or look for what the call read outside of wrapped functions.';
  return `${reason}${reason.endsWith('.') || reason.includes('\n') ? '' : '.'}`;
}

function readOut(folder: string, word: string): string {
  const path = relative(folder, resolve(folder, word)).split(sep).join('/');
  if (/\.[mc]?[jt]s$/.test(path) && !path.startsWith('../')) return posix.normalize(path);
  throw new UsageError('--out must be a file of this project that ends with .ts or .js.', 'dacapo reproduce');
}

function describeSubject({ subject, application, key }: TestPlan): string {
  switch (subject.kind) {
    case 'function':
      return `it replays ${subject.name} of ${subject.file}`;
    case 'method':
      return application === undefined
        ? `name the function in it. It is ${subject.className}.${subject.method} of ${subject.file}, but the sources export no single AppModule`
        : `it replays ${subject.className}.${subject.method} of ${subject.file}`;
    case 'module':
      return `it replays what ${subject.file} exports under the key`;
    case 'unknown':
      return `name the function in it. The sources have no single exported function with the key ${printable(key)}`;
  }
}
