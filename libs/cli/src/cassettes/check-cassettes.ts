import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { glob } from 'tinyglobby';
import { errorCode } from '../errors.js';
import { namesCassette, readTests } from './find-tests.js';

export interface CheckedCassette {
  readonly name: string;
  readonly calls: number;
  /** With its large values. */
  readonly bytes: number;
  readonly problems: readonly string[];
}

export interface CheckSettings {
  /** The folder whose files name cassettes. */
  readonly tests: string;
  readonly maxBytes: number;
}

/** Checks each cassette of a folder, and finds large values of cassettes that no longer exist. */
export async function checkCassettes(
  directory: string,
  { tests, maxBytes }: CheckSettings,
): Promise<CheckedCassette[]> {
  const files = (await glob(['**/*.ndjson'], { cwd: directory })).sort();
  const sources = await readTests(tests);
  const checked: CheckedCassette[] = [];
  for (const path of files) {
    const name = path.replace(/\.ndjson$/, '');
    const isUsed = sources.some((source) => namesCassette(source, name));
    const one = await checkCassette(join(directory, path));
    checked.push({
      name,
      calls: one.calls,
      bytes: one.bytes,
      problems: [
        ...one.problems,
        ...(isUsed ? [] : ['no test names it. Delete it, or pass the folder of the tests with --tests.']),
        ...(one.bytes > maxBytes
          ? [`it is larger than ${Math.round(maxBytes / 1000)} kB. Record fewer calls, or raise --max-kb.`]
          : []),
      ],
    });
  }
  return [...checked, ...(await findLeftValues(directory, files))];
}

async function checkCassette(file: string): Promise<Omit<CheckedCassette, 'name'>> {
  const { maskCalls, readCassette, toBlobFolder } = await import('@dacapo/testing/internal');
  const bytes = (await stat(file)).size + (await folderBytes(toBlobFolder(file)));
  try {
    const { calls } = readCassette(file);
    const secrets = maskCalls(calls).filter(
      (masked, index) => JSON.stringify(masked) !== JSON.stringify(calls[index]),
    );
    const places = [...new Set(secrets.map(({ path }) => path.join(' > ')))];
    const problems =
      places.length === 0
        ? []
        : [`it holds secrets in ${places.join(', ')}. Revoke them, and record or pull the cassette again.`];
    return { calls: calls.length, bytes, problems };
  } catch (error) {
    if (!(error instanceof Error) || errorCode(error) !== 'TESTING_CASSETTE_FILE') throw error;
    return { calls: 0, bytes, problems: [error.message] };
  }
}

async function folderBytes(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function findLeftValues(directory: string, files: readonly string[]): Promise<CheckedCassette[]> {
  const folders = await glob(['**/*.blobs'], { cwd: directory, onlyDirectories: true });
  const names = folders.map((folder) => folder.replace(/\/$/, ''));
  const left = names.filter((name) => !files.includes(name.replace(/\.blobs$/, '.ndjson')));
  return Promise.all(
    left.map(async (name) => ({
      name,
      calls: 0,
      bytes: await folderBytes(join(directory, name)),
      problems: ['its cassette does not exist. Delete the folder.'],
    })),
  );
}
