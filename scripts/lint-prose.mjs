import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { capture } from './progress.mjs';
import { readParagraphs } from './prose/document-text.mjs';
import { findProblems } from './prose/find-problems.mjs';
import { readMessages } from './prose/source-messages.mjs';
import { ROOT } from './workspace.mjs';

/**
 * Checks the English of documents and messages: the words in scripts/prose/glossary.mjs, and long sentences. The texts of generated
 * references are checked at their source. Decision records and the changelog are not checked.
 */
const DOCUMENTS = /^(?:(?!CHANGELOG)[A-Z]+\.md|docs\/[\w-]+\.md|(?:libs\/[\w-]+|sample-app)\/README\.md)$/;
const SOURCES = /^libs\/[\w-]+\/src\/(?!contract\/).*(?<!\.spec|\.d)\.tsx?$/;

const { code, output } = await capture('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
});
if (code !== 0) throw new Error(`The files cannot be listed: ${output}`);
const paths = output.split('\n');
const problems = [
  ...check(
    paths.filter((path) => DOCUMENTS.test(path)),
    (_, text) => readParagraphs(text),
  ),
  ...check(
    paths.filter((path) => SOURCES.test(path)),
    readMessages,
  ),
];

function check(files, read) {
  if (files.length === 0) throw new Error('No file to check. Run this in a clone.');
  return files.flatMap((path) =>
    read(path, readFileSync(join(ROOT, path), 'utf8')).flatMap(({ text, line }) =>
      findProblems(text).map((problem) => `${path}:${line} ${problem}`),
    ),
  );
}

for (const problem of problems) console.log(problem);
console.log(`${problems.length} problems in texts.`);
process.exitCode = problems.length === 0 ? 0 : 1;
