import type { Command } from 'commander';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { wholeNumber } from '../output/read-words.js';
import { counted, table } from '../output/table.js';
import { DEFAULT_DIRECTORY } from './default-directory.js';
import { type CheckedCassette, checkCassettes } from './check-cassettes.js';
import { CassettesFailedError } from './errors.js';

interface CheckWords {
  readonly json?: true;
  readonly tests: string;
  readonly maxKb: number;
}

const MAX_KB = 1024;

export function addCheckCommand(cassettes: Command, io: CliIo): void {
  cassettes
    .command('check')
    .argument('[directory]', 'the folder of the cassettes', DEFAULT_DIRECTORY)
    .description(
      'find unused, damaged and large cassettes, and secrets in them; exit code 1 if there are any',
    )
    .option('--tests <folder>', 'where tests are searched for the names of cassettes', '.')
    .option('--max-kb <n>', 'size of a cassette with its large values, in kB', wholeNumber(1), MAX_KB)
    .option('--json', 'print JSON')
    .action((directory: string, words: CheckWords) => check(directory, words, io));
}

/** @throws CassettesFailedError */
async function check(directory: string, words: CheckWords, io: CliIo): Promise<void> {
  const checked = await checkCassettes(directory, { tests: words.tests, maxBytes: words.maxKb * 1000 });
  const failed = checked.filter(({ problems }) => problems.length > 0);
  print(io, words, { directory, items: checked }, describe(directory, checked));
  if (failed.length > 0) throw new CassettesFailedError(failed.length, checked.length);
}

function describe(directory: string, checked: readonly CheckedCassette[]): string {
  if (checked.length === 0)
    return `No cassettes in ${directory}. Record one with DACAPO_CASSETTES=record, or write one with \`dacapo cassettes pull\`.`;
  const rows = checked.map(({ name, calls, bytes, problems }) => [
    problems.length === 0 ? 'ok' : 'FAILED',
    `${calls}`,
    `${(bytes / 1000).toFixed(1)} kB`,
    name,
  ]);
  const problems = checked.flatMap(({ name, problems: texts }) => texts.map((text) => `${name}: ${text}\n`));
  const bytes = checked.reduce((sum, one) => sum + one.bytes, 0);
  return `${table([['STATUS', 'CALLS', 'SIZE', 'CASSETTE'], ...rows])}${counted(checked.length, 'cassette')}, ${(bytes / 1000).toFixed(1)} kB\n${problems.join('')}`;
}
