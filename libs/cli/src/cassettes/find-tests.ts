import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { glob } from 'tinyglobby';

const SOURCES = ['**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}'];
const NO_SOURCES = ['**/node_modules/**', '**/dist/**', '**/coverage/**'];

/** The source of a file that may hold tests. */
export interface TestSource {
  /** Relative to the folder, with `/`. */
  readonly file: string;
  readonly text: string;
}

export async function readTests(folder: string): Promise<TestSource[]> {
  const files = await glob(SOURCES, { cwd: folder, ignore: NO_SOURCES });
  return Promise.all(
    files.sort().map(async (file) => ({ file, text: await readFile(join(folder, file), 'utf8') })),
  );
}

/** Whether a source has the name of a cassette as a literal. */
export function namesCassette({ text }: TestSource, name: string): boolean {
  return [`'${name}'`, `"${name}"`, `\`${name}\``].some((literal) => text.includes(literal));
}

/** The files that name a cassette. */
export async function findTests(folder: string, name: string): Promise<string[]> {
  return (await readTests(folder)).filter((source) => namesCassette(source, name)).map(({ file }) => file);
}
