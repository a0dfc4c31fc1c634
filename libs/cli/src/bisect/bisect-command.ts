import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { DEFAULT_DIRECTORY } from '../cassettes/default-directory.js';
import { findRecordedCalls, keepCall } from '../cassettes/find-recorded-calls.js';
import { findTests } from '../cassettes/find-tests.js';
import { Repository } from '../git/repository.js';
import { Worktree } from '../git/worktree.js';
import type { CliIo } from '../io.js';
import { type Answer, judgeReplay, notShown } from '../oracle/answer.js';
import { prepareCode, type ProjectPrograms, readTestCommand } from '../oracle/project-code.js';
import { runReplays } from '../oracle/run-replays.js';
import { runCassetteTest } from '../oracle/run-test.js';
import { print } from '../output/print.js';
import { printable } from '../output/printable.js';
import { wholeNumber } from '../output/read-words.js';
import { findProjectConfig, replaySettingsFor } from '../project-config/project-config.js';
import { stopOnSignal } from '../programs/stop-on-signal.js';
import { readCase } from '../prove/prove-cases.js';
import { findFailedCall } from '../reproduce/find-failed-call.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { BisectUndecidedError } from './errors.js';
import { findFirstBad, testCommit, type TestedCommit } from './find-first-bad.js';

interface BisectWords extends ConnectionOptions {
  readonly good: string;
  readonly bad: string;
  readonly key?: string;
  readonly timeout: number;
}

const HELP = `
Commits run in a temporary worktree, prepared by "prepare" of dacapo.config.json. Your checkout stays as it is.
With a cassette that a test names, each commit runs that test. Else it replays the call through "replay.module".
A commit that cannot be built, has another error or no such function is skipped.`;

/** `dacapo bisect`: the commit that broke a recorded call. */
export function addBisectCommand(program: Command, io: CliIo): void {
  withConnection(
    program.command('bisect').argument('<call>', 'a cassette, a trace or its beginning, or trace/span'),
  )
    .description('find the commit that broke a recorded call')
    .requiredOption('--good <commit>', 'a commit where the call does not fail')
    .option('--bad <commit>', 'a commit where it fails as it was recorded', 'HEAD')
    .option('--key <key>', 'the trace function key of the call (default: the outermost failed call)')
    .option('--timeout <s>', 'timeout of each program in seconds', wholeNumber(1), 300)
    .addHelpText('after', HELP)
    .action((call: string, words: BisectWords) => bisect(call, words, io));
}

/** @throws BisectUndecidedError, GitError, ProjectConfigError */
async function bisect(word: string, words: BisectWords, io: CliIo): Promise<void> {
  const signal = stopOnSignal(io);
  const folder = process.cwd();
  const config = findProjectConfig(folder);
  const repository = await Repository.open(folder, io.env, signal);
  const [good, bad] = [await repository.resolveCommit(words.good), await repository.resolveCommit(words.bad)];
  if (good === bad || !(await repository.isAncestor(good, bad)))
    throw new BisectUndecidedError(
      `${words.good} is not older than ${words.bad}`,
      'Name a --good commit that --bad comes from.',
    );
  const programs: ProjectPrograms = {
    config,
    env: io.env,
    signal,
    timeoutMs: words.timeout * 1000,
    testCommand: await readTestCommand(folder, config),
  };
  const temporary = mkdtempSync(join(tmpdir(), 'dacapo-bisect-'));
  try {
    const subject = await findSubject(word, words, { io, folder, temporary, programs });
    const onTested = reporter(repository, words, io);
    const { tested, first } = await Worktree.with(repository, bad, async (tree) => {
      const all: TestedCommit[] = [];
      const place = { repository, tree, test: () => runSubject(tree, subject, programs) };
      const report = async (one: TestedCommit): Promise<void> => {
        all.push(one);
        await onTested(one);
      };
      for (const [commit, state] of [
        [bad, 'bad'],
        [good, 'good'],
      ] as const) {
        const one = await testCommit(place, commit);
        await report(one);
        checkEnd(one, state);
      }
      return { first: await findFirstBad({ ...place, good, bad, onTested: report }), tested: all };
    });
    await conclude(first, tested, { repository, words, io });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** What runs on each commit. */
type Subject =
  | {
      readonly kind: 'test';
      readonly files: readonly string[];
      readonly testFile: string;
      readonly sha256: string;
    }
  | { readonly kind: 'replay'; readonly cassette: string; readonly files: readonly string[] };

async function findSubject(
  word: string,
  words: BisectWords,
  {
    io,
    folder,
    temporary,
    programs: { config },
  }: {
    readonly io: CliIo;
    readonly folder: string;
    readonly temporary: string;
    readonly programs: ProjectPrograms;
  },
): Promise<Subject> {
  const { readCassette, toCassetteFile, writeCassette } = await import('@dacapo/testing/internal');
  const directory = config?.test?.cassettes ?? DEFAULT_DIRECTORY;
  const name = word.replace(/\.ndjson$/, '').replace(`${directory}/`, '');
  const recorded = toFile(() => toCassetteFile(join(folder, directory), name));
  const entry = config?.replay === undefined ? [] : [config.replay.module];
  if (recorded !== undefined && existsSync(recorded)) {
    if ((await findTests(folder, name)).length > 0)
      return { kind: 'test', ...(await readCase(folder, directory, name)) };
    return { kind: 'replay', cassette: recorded, files: entry };
  }
  const client = new ServiceClient(resolveConnection(words, io.env));
  const { traceId, spanId, key } = await findFailedCall(client, word, words.key);
  if (config === undefined || config.replay === undefined)
    throw new BisectUndecidedError(
      'dacapo.config.json does not say what replays the call',
      `Add "replay": { "module": "src/replay.js", "keys": ["*"] }, or write a test with \`dacapo reproduce ${word}\` and bisect its cassette.`,
    );
  replaySettingsFor(config, key);
  const cassette = join(temporary, 'call.ndjson');
  writeCassette(cassette, {
    calls: keepCall(await findRecordedCalls(client, key, traceId), spanId),
    traceId,
  });
  readCassette(cassette);
  return { kind: 'replay', cassette, files: entry };
}

/** @returns `undefined` for a word that cannot be the name of a cassette */
function toFile(find: () => string): string | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}

async function runSubject(tree: Worktree, subject: Subject, programs: ProjectPrograms): Promise<Answer> {
  const { config, testCommand: command, env, timeoutMs, signal } = programs;
  const files = subject.kind === 'test' ? subject.files : subject.files.filter((path) => !tree.has(path));
  tree.copyFromCheckout(files);
  const problem = await prepareCode(tree, programs);
  if (problem !== undefined) return notShown(problem);
  const place = { cwd: tree.folder, env, timeoutMs, signal };
  if (subject.kind === 'test') return runCassetteTest({ command, ...subject }, place);
  if (config?.replay === undefined) return notShown('nothing replays the call');
  return judgeReplay(await runReplays(config.replay, [subject.cassette], place));
}

/** @throws BisectUndecidedError unless the end is what the user says */
function checkEnd({ state, reason }: TestedCommit, wanted: 'good' | 'bad'): void {
  if (state === wanted) return;
  const [option, what] =
    wanted === 'bad' ? ['--bad', 'fail as it was recorded'] : ['--good', 'return without that failure'];
  throw new BisectUndecidedError(
    state === 'skip'
      ? `Nothing shows what the call does on the ${option} commit: ${reason}`
      : `On the ${option} commit, the call does not ${what}`,
    `Name another ${option} commit.`,
  );
}

function reporter(
  repository: Repository,
  words: BisectWords,
  io: CliIo,
): (one: TestedCommit) => Promise<void> {
  return async ({ commit, state, reason }) => {
    if (words.json === true) return;
    const { subject } = await repository.describeCommit(commit);
    const why = reason === '' ? '' : ` (${printable(reason.split('\n')[0] ?? '')})`;
    io.stderr.write(`${state.padEnd(4)} ${commit.slice(0, 8)} ${printable(subject)}${why}\n`);
  };
}

async function conclude(
  first: readonly string[],
  tested: readonly TestedCommit[],
  {
    repository,
    words,
    io,
  }: { readonly repository: Repository; readonly words: BisectWords; readonly io: CliIo },
): Promise<void> {
  const described: string[] = [];
  for (const id of first) {
    const { author, date, subject } = await repository.describeCommit(id);
    described.push(printable(`${id.slice(0, 8)} ${subject} (${author}, ${date})`));
  }
  const [only, ...others] = described;
  const text =
    others.length === 0
      ? `First bad commit: ${only ?? 'none'}`
      : `The first bad commit is one of ${described.length}:\n${described.map((line) => `  ${line}`).join('\n')}`;
  print(io, words, { first_bad: first, tested }, text);
  if (others.length > 0)
    throw new BisectUndecidedError(
      `The commits between them could not be tested`,
      'Make them testable, for example with "prepare" in dacapo.config.json, or look at each.',
    );
}
