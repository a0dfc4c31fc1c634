import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { glob } from 'tinyglobby';
import { DEFAULT_DIRECTORY } from '../cassettes/default-directory.js';
import type { CliIo } from '../io.js';
import { type ProjectPrograms, readTestCommand } from '../oracle/project-code.js';
import { print } from '../output/print.js';
import { printable } from '../output/printable.js';
import { counted } from '../output/table.js';
import { findProjectConfig } from '../project-config/project-config.js';
import { stopOnSignal } from '../programs/stop-on-signal.js';
import { NothingToProveError, ProofFailedError } from './errors.js';
import { describeState, isAsRecorded } from './judge-others.js';
import { type OtherRecordings, readOthers } from './other-recordings.js';
import type { ProvedOthers, SealedProof } from './proof.js';
import { readProofFile } from './proof-file.js';
import { type ProofCase, readCase, toProofName } from './prove-cases.js';
import type { ProveWords } from './prove-words.js';
import { runSide } from './run-side.js';

interface CheckedProof {
  readonly file: string;
  readonly problems: readonly string[];
  /** Other calls that are as recorded now. */
  readonly unharmed: number;
  readonly others: number;
}

/**
 * Runs the tests of proofs and replays their other calls with the code that is here, and compares hashes. It needs no service, key,
 * network or history.
 *
 * @throws ProofFailedError, NothingToProveError
 */
export async function checkProofs(names: readonly string[], words: ProveWords, io: CliIo): Promise<void> {
  const folder = process.cwd();
  const config = findProjectConfig(folder);
  const programs: ProjectPrograms = {
    config,
    env: io.env,
    timeoutMs: words.timeout * 1000,
    signal: stopOnSignal(io),
    testCommand: await readTestCommand(folder, config),
  };
  const files = names.length > 0 ? names : (await glob([`${words.out}/*.md`], { cwd: folder })).sort();
  if (files.length === 0)
    throw new NothingToProveError(`No proofs in ${words.out}`, 'Write one with `dacapo prove`.');
  const checked: CheckedProof[] = [];
  for (const file of files) checked.push(await checkProof(file, folder, programs));
  const failed = checked.filter(({ problems }) => problems.length > 0);
  print(io, words, { items: checked }, checked.map(describe).join('\n'));
  if (failed.length > 0) throw new ProofFailedError(failed.length, checked.length);
}

async function checkProof(file: string, folder: string, programs: ProjectPrograms): Promise<CheckedProof> {
  const failed = (...problems: string[]): CheckedProof => ({ file, problems, unharmed: 0, others: 0 });
  const path = join(folder, file);
  const proof = existsSync(path) ? readProofFile(readFileSync(path, 'utf8')) : 'it does not exist';
  if (typeof proof === 'string')
    return failed(`The proof cannot be used: ${proof}. Run \`dacapo prove\` again.`);
  const one = await findCase(folder, proof, programs);
  if (typeof one === 'string') return failed(one);
  const stale = findChanges(proof, one, programs);
  const { others } = proof;
  const recordings = others === null ? undefined : await findOthers(posix.dirname(file), folder, one, others);
  const problems = typeof recordings === 'string' ? [...stale, recordings] : stale;
  if (problems.length > 0 || typeof recordings === 'string') return failed(...problems);
  const [side] = await runSide(folder, [{ ...one, others: recordings }], programs, { isPrepared: true });
  if (side === undefined) return failed('Nothing was run.');
  const { answer, others: replays } = side;
  const harmed = Array.from({ length: others?.calls ?? 0 }, (_, index) => index)
    .filter((index) => others?.unknown.includes(index) !== true)
    .map((index) => ({ index, call: replays.calls.find((call) => call.index === index) }))
    .filter(({ call }) => !isAsRecorded(call));
  return {
    file,
    problems: [
      ...(answer.state === 'green'
        ? []
        : [`The test is not green: ${answer.reason || 'the recorded failure occurs'}.`]),
      ...(replays.problem === undefined ? [] : [`Not all other calls were replayed: ${replays.problem}.`]),
      ...harmed.map(
        ({ index, call }) => `Other call ${index + 1} is no longer as recorded: ${describeState(call)}.`,
      ),
    ],
    unharmed: (others?.calls ?? 0) - harmed.length - (others?.unknown.length ?? 0),
    others: others?.calls ?? 0,
  };
}

/** The cassette and the test as they are here. @returns a sentence if they are missing or damaged */
async function findCase(
  folder: string,
  { cassette }: SealedProof,
  { config }: ProjectPrograms,
): Promise<ProofCase | string> {
  try {
    return await readCase(folder, config?.test?.cassettes ?? DEFAULT_DIRECTORY, cassette.name);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function findChanges(proof: SealedProof, one: ProofCase, { config }: ProjectPrograms): string[] {
  const again = 'Run `dacapo prove` again';
  return [
    ...(one.sha256 === proof.cassette.sha256
      ? []
      : [`The cassette ${proof.cassette.name} was changed. ${again}.`]),
    ...(one.testFile === proof.test.file && one.testSha256 === proof.test.sha256
      ? []
      : [`The test of the cassette was changed (${one.testFile}). ${again}.`]),
    ...((config?.hash ?? null) === proof.config_sha256 ? [] : [`dacapo.config.json was changed. ${again}.`]),
  ];
}

/** The recordings of other calls. @returns a sentence if they are missing, damaged or changed */
async function findOthers(
  proofs: string,
  folder: string,
  { name, key }: ProofCase,
  { sha256, calls }: ProvedOthers,
): Promise<OtherRecordings | string> {
  const file = posix.join(proofs, `${toProofName(name)}.ndjson`);
  try {
    const found = await readOthers(file, join(folder, file), key);
    if (found.sha256 === sha256 && found.calls === calls) return found;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return `The other calls in ${file} were changed. Restore the file, or run \`dacapo prove\` again.`;
}

function describe({ file, problems, unharmed, others }: CheckedProof): string {
  if (problems.length > 0)
    return [
      `FAILED ${file}`,
      ...problems.map((text) => `- ${text.split('\n').map(printable).join('\n    ')}`),
    ].join('\n');
  return `ok     ${file}: green${others === 0 ? '' : `, ${unharmed} of ${counted(others, 'other call')} unharmed`}`;
}
