import { existsSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { convertPathToPattern, glob } from 'tinyglobby';
import { EvalFileError, NoEvalFilesError } from './errors.js';

const EVAL_FILES = '**/*.eval.{ts,mts,cts,js,mjs,cjs}';
const IGNORED = ['**/node_modules/**', '**/dist/**'];

/**
 * Finds eval files by file, folder or pattern. Default: the working directory and below.
 *
 * @returns unique paths relative to the working directory, in the order of the words, then by name
 * @throws EvalFileError when a file does not exist
 * @throws NoEvalFilesError when a folder or a pattern has none
 */
export async function findEvalFiles(words: readonly string[], cwd = process.cwd()): Promise<string[]> {
  const named = words.length === 0 ? ['.'] : words;
  const files: string[] = [];
  for (const word of named) {
    const path = resolve(cwd, word);
    if (existsSync(path) && !statSync(path).isDirectory()) {
      files.push(relative(cwd, path));
      continue;
    }
    const isFolder = existsSync(path);
    if (!isFolder && !/[*?{[]/.test(word))
      throw new EvalFileError(word, 'does not exist', 'Name a file, a folder or a pattern.');
    const pattern = isFolder ? `${convertPathToPattern(path)}/${EVAL_FILES}` : word.replaceAll('\\', '/');
    const found = await glob(pattern, { cwd, ignore: IGNORED, absolute: true });
    if (found.length === 0) throw new NoEvalFilesError([word]);
    files.push(...found.map((file) => relative(cwd, file)).sort());
  }
  return [...new Set(files)];
}
