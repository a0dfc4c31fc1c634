import { posix } from 'node:path';
import type { Command } from 'commander';
import { Repository } from '../git/repository.js';
import type { CliIo } from '../io.js';
import { type ProjectPrograms, readTestCommand } from '../oracle/project-code.js';
import { print } from '../output/print.js';
import { printable } from '../output/printable.js';
import { wholeNumber } from '../output/read-words.js';
import { writeOutput } from '../output/write-output.js';
import { findProjectConfig } from '../project-config/project-config.js';
import { stopOnSignal } from '../programs/stop-on-signal.js';
import { withConnection } from '../service/connection.js';
import { checkProofs } from './check-command.js';
import { NothingToProveError, NotProvedError } from './errors.js';
import { provideOthers } from './other-recordings.js';
import { findCases, toProofName } from './prove-cases.js';
import type { ProveWords } from './prove-words.js';
import { formatMs, short, writeProofFile } from './proof-file.js';
import { type CaseResult, runProof } from './run-proof.js';
import type { ProofTask } from './run-side.js';

const HELP = `
The base and this change run in temporary worktrees, with the commands in "prepare" and "test" of dacapo.config.json.
Other calls are replayed through "replay.module". Every wrapped call is answered, and nothing is sent.
--check needs no key, no network and no history: it runs the test here, replays the other calls, and compares hashes.`;

/** `dacapo prove`: evidence that a change fixes a recorded failure, as a file for the pull request. */
export function addProveCommand(program: Command, io: CliIo): void {
  withConnection(
    program
      .command('prove')
      .argument(
        '[names...]',
        'cassettes (default: those with a failed call that are new since the base); with --check, proofs',
      ),
  )
    .description('prove that this change fixes a recorded failure, and harms no other recorded calls')
    .option(
      '--base <commit>',
      'where the failure must occur: the commit that it shares with this one',
      'main',
    )
    .option('--others <n>', 'how many other calls of the key are replayed', wholeNumber(0, 1000), 20)
    .option('--allow-unknown <n>', 'how many of them may be unknown', wholeNumber(0), 0)
    .option('--out <folder>', 'the folder of proofs', 'proofs')
    .option('--timeout <s>', 'timeout of each program in seconds', wholeNumber(1), 300)
    .option('--check', 'check proofs instead of writing them')
    .addHelpText('after', HELP)
    .action((names: string[], words: ProveWords) =>
      words.check === true ? checkProofs(names, words, io) : prove(names, words, io),
    );
}

/** @throws NothingToProveError, NotProvedError, GitError, ProjectConfigError */
async function prove(names: readonly string[], words: ProveWords, io: CliIo): Promise<void> {
  const signal = stopOnSignal(io);
  const folder = process.cwd();
  const config = findProjectConfig(folder);
  const repository = await Repository.open(folder, io.env, signal);
  const head = await repository.resolveCommit('HEAD');
  const base = await repository.mergeBase(await repository.resolveCommit(words.base), head);
  const own = posix.join(repository.prefix.replaceAll('\\', '/'), words.out);
  const uncommitted = (await repository.changedFiles()).filter(({ path }) => !path.startsWith(`${own}/`));
  if (base === head && uncommitted.length === 0)
    throw new NothingToProveError(
      `${words.base} is the commit that is checked out, and no file is changed`,
      'Name a commit with the failure, such as --base HEAD~1.',
    );
  const programs: ProjectPrograms = {
    config,
    env: io.env,
    signal,
    timeoutMs: words.timeout * 1000,
    testCommand: await readTestCommand(folder, config),
  };
  const notify = (text: string): void => {
    if (words.json !== true) io.stderr.write(`${text}\n`);
  };
  const cases = await findCases(folder, names, { config, repository, base });
  const tasks: ProofTask[] = [];
  for (const one of cases)
    tasks.push({ ...one, others: await provideOthers(one, words, { io, config, notify }) });
  const { allowUnknown: allowedUnknown } = words;
  const results = await runProof(tasks, {
    repository,
    programs,
    base,
    head,
    uncommitted,
    allowedUnknown,
    notify,
  });
  const written = new Map<CaseResult, string>();
  for (const result of results) {
    if (result.missing.length > 0) continue;
    const file = posix.join(words.out, `${toProofName(result.task.name)}.md`);
    await writeOutput(file, writeProofFile(result.proof));
    written.set(result, file);
  }
  const items = results.map((result) => ({
    cassette: result.task.name,
    proved: result.missing.length === 0,
    missing: result.missing,
    ...(written.has(result) && { file: written.get(result) }),
    proof: result.proof,
  }));
  print(
    io,
    words,
    { items },
    results.map((result) => describeResult(result, written.get(result))).join('\n'),
  );
  const failed = results.filter(({ missing }) => missing.length > 0).map(({ task }) => task.name);
  if (failed.length > 0) throw new NotProvedError(failed);
}

function describeResult(
  { task, base, candidate, missing, proof }: CaseResult,
  file: string | undefined,
): string {
  const state = ({ answer }: CaseResult['base'], wanted: string): string =>
    answer.state === wanted ? `${wanted}, ${formatMs(answer.durationMs)}` : answer.state;
  const { others } = proof;
  return [
    `${file === undefined ? 'NOT PROVED' : 'Proved'}: ${task.name} (${printable(task.key)})`,
    `  base ${short(proof.base.commit)}: ${state(base, 'red')}`,
    `  this change: ${state(candidate, 'green')}`,
    ...(others === null
      ? ['  other calls: none replayed']
      : [
          `  other calls: ${others.counts.unharmed} of ${others.calls} unharmed, ${others.counts.harmed} harmed, ${others.counts.unknown} unknown`,
        ]),
    ...(proof.base.packages === 'linked, with another lock file'
      ? [
          '  The base ran with the packages of this change: its lock file differs, and "prepare" installs nothing.',
        ]
      : []),
    ...missing.map((text) => `- ${text.split('\n').map(printable).join('\n    ')}`),
    ...(file === undefined
      ? []
      : [
          `Wrote ${file}. Commit it with ${[...(others === null ? [] : [others.file]), ...task.files].join(', ')}.`,
        ]),
  ].join('\n');
}
