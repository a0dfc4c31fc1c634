import { existsSync, readFileSync } from 'node:fs';
import { basename, join, posix, relative, sep } from 'node:path';
import { DEFAULT_DIRECTORY } from '../cassettes/default-directory.js';
import { findTests } from '../cassettes/find-tests.js';
import type { Repository } from '../git/repository.js';
import type { ProjectConfig } from '../project-config/project-config.js';
import { NothingToProveError } from './errors.js';
import { hashText } from './proof.js';

/** A cassette with its test, in the user's checkout. */
export interface ProofCase {
  /** Of the cassette, such as `refund/late`. */
  readonly name: string;
  /** Relative to the project, with `/`. */
  readonly cassette: string;
  readonly key: string;
  readonly traceId: string | undefined;
  readonly failure: { readonly name: string; readonly message: string };
  readonly sha256: string;
  readonly testFile: string;
  readonly testSha256: string;
  /** Files without which the test does not run on another commit. */
  readonly files: readonly string[];
}

/**
 * Finds the cassettes to prove: the named ones, else those with a failed call that are new or changed since the base.
 *
 * @param words names of cassettes, or their files
 * @throws NothingToProveError, CassetteFileError
 */
export async function findCases(
  folder: string,
  words: readonly string[],
  {
    config,
    repository,
    base,
  }: { readonly config: ProjectConfig | undefined; readonly repository: Repository; readonly base: string },
): Promise<ProofCase[]> {
  const directory = config?.test?.cassettes ?? DEFAULT_DIRECTORY;
  if (words.length > 0)
    return Promise.all(words.map((word) => readCase(folder, directory, toName(directory, word))));
  const changed = await repository.filesSince(base, directory);
  const names = changed
    .filter((path) => path.endsWith('.ndjson'))
    .map((path) => toName(directory, posix.relative(repository.prefix.split(sep).join('/'), path)));
  const failed: ProofCase[] = [];
  for (const name of names)
    if (await hasFailure(folder, directory, name)) failed.push(await readCase(folder, directory, name));
  if (failed.length > 0) return failed;
  throw new NothingToProveError(
    `No cassette with a failed call is new since the base, in ${directory}`,
    'Write one with `dacapo reproduce <trace>`, or name an older one.',
  );
}

function toName(directory: string, word: string): string {
  const path = word
    .split(sep)
    .join('/')
    .replace(/^\.\//, '')
    .replace(/\.ndjson$/, '');
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
}

async function hasFailure(folder: string, directory: string, name: string): Promise<boolean> {
  const { readCassette, toCassetteFile } = await import('@dacapo/testing/internal');
  const { calls } = readCassette(toCassetteFile(join(folder, directory), name));
  return calls.some(({ parent, status }) => parent === undefined && status === 'error');
}

/** @throws NothingToProveError unless one test names it, and it has a failed call with an error */
export async function readCase(folder: string, directory: string, name: string): Promise<ProofCase> {
  const { hashCassette, readCassette, toBlobFolder, toCassetteFile } =
    await import('@dacapo/testing/internal');
  const file = toCassetteFile(join(folder, directory), name);
  const { header, calls } = readCassette(file);
  const failed = calls.filter(({ parent, status }) => parent === undefined && status === 'error');
  const [first] = failed;
  if (first?.error === undefined)
    throw new NothingToProveError(
      `The cassette ${JSON.stringify(name)} has no failed call whose error was recorded`,
      'Pull one that failed with `dacapo reproduce <trace>`.',
    );
  const [testFile, ...others] = await findTests(folder, name);
  if (testFile === undefined || others.length > 0)
    throw new NothingToProveError(
      testFile === undefined
        ? `No test names the cassette ${JSON.stringify(name)}`
        : `Several tests name the cassette ${JSON.stringify(name)}: ${[testFile, ...others].join(', ')}`,
      testFile === undefined
        ? "Write withCassette(name, { expect: 'fixed' }, …) in a test, or let `dacapo reproduce` write it."
        : 'Give each test a cassette of its own.',
    );
  const path = relative(folder, file).split(sep).join('/');
  const blobs = toBlobFolder(path);
  return {
    name,
    cassette: path,
    key: first.path[0] ?? '',
    traceId: header.trace_id,
    testFile,
    failure: { name: first.error.name, message: first.error.message },
    sha256: hashCassette(file),
    testSha256: hashText(readFileSync(join(folder, testFile), 'utf8')),
    files: [path, ...(existsSync(join(folder, blobs)) ? [blobs] : []), testFile],
  };
}

/** The names of the files of a proof, without their folder and ending. */
export function toProofName(name: string): string {
  return basename(name.replaceAll('/', '-'));
}
