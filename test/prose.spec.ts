import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './processes/program.js';

/** Calls a function of scripts/prose, which are ES modules that Jest does not load. */
async function call(name: string, fn: string, ...args: readonly string[]): Promise<unknown> {
  const path = JSON.stringify(join(ROOT, 'scripts/prose', name));
  const code = `const { ${fn} } = await import(${path}); console.log(JSON.stringify(${fn}(...${JSON.stringify(args)})));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code]);
  return JSON.parse(stdout);
}

describe('The check of English', () => {
  it('finds words that readers do not know, and says what to write', async () => {
    expect(
      await call('find-problems.mjs', 'findProblems', 'The gate is kept if nothing stands beside it.'),
    ).toEqual([
      expect.stringMatching(/^"stands beside": write /),
      expect.stringMatching(/^"beside": write /),
      expect.stringMatching(/^"gate is kept": write /),
    ]);
  });

  it('finds long sentences, and counts what follows a colon separately', async () => {
    const words = (count: number): string => Array.from({ length: count }, () => 'word').join(' ');
    expect(await call('find-problems.mjs', 'findProblems', `One: ${words(25)}.`)).toEqual([]);
    expect(await call('find-problems.mjs', 'findProblems', `One: ${words(26)}.`)).toHaveLength(1);
  });

  it('reads paragraphs, list items and cells of a document, without its code', async () => {
    const markdown = '# Title\n\nOne `a b`\ntwo.\n\n- three\n\n```ts\nbeside\n```\n\n| four | five |\n';
    const paragraphs = await call('document-text.mjs', 'readParagraphs', markdown);
    expect(paragraphs).toEqual([
      { text: 'Title', line: 1 },
      { text: 'One code two.', line: 3 },
      { text: 'three', line: 6 },
      { text: 'four', line: 12 },
      { text: 'five', line: 12 },
    ]);
  });

  it('reads sentences in strings of a source, and the help of commands', async () => {
    const source =
      "f(`${n} items`);\nthrow new E(`The ${name} is not a ` + 'number.');\nc.option('--all', 'list all');";
    const messages = await call('source-messages.mjs', 'readMessages', 'a.ts', source);
    expect(messages).toEqual([
      { text: 'The value is not a number.', line: 2 },
      { text: '--all', line: 3 },
      { text: 'list all', line: 3 },
    ]);
  });
});
