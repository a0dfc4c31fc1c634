import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { tabulateCommands } from '../src/completion/command-table.js';
import { EXAMPLES } from '../src/output/examples.js';
import { createProgram } from '../src/program.js';
import { run } from '../src/run.js';
import { CapturedIo } from './captured-io.js';
import { splitLine } from './split-line.js';

/** Parses a line with every command, and runs none. */
async function parse(line: string): Promise<string> {
  const program = await createProgram(new CapturedIo(), undefined);
  let parsed = '';
  const replaceActions = (command: Command, path: string): void => {
    command.action(() => void (parsed = path));
    for (const child of command.commands) replaceActions(child, `${path} ${child.name()}`.trim());
  };
  for (const command of program.commands) replaceActions(command, command.name());
  await program.parseAsync(splitLine(line), { from: 'user' });
  return parsed;
}

describe('The help of each command', () => {
  let paths: string[];
  beforeAll(async () => {
    const rows = tabulateCommands(await createProgram(new CapturedIo(), undefined));
    paths = rows.filter(({ subcommands }) => subcommands.length === 0).map(({ path }) => path);
  });

  it('has an example', () => {
    expect(Object.keys(EXAMPLES).sort()).toEqual([...paths].sort());
  });

  it('shows it', async () => {
    for (const path of paths) {
      const io = new CapturedIo();
      expect(await run([...path.split(' '), '--help'], io)).toBe(0);
      expect(io.out).toContain(`Example: dacapo ${EXAMPLES[path] ?? ''}\n`);
    }
  });

  it.each(Object.entries(EXAMPLES))('%s has an example that parses', async (path, line) => {
    expect(await parse(line)).toBe(path);
  });
});

it('has --json for each command that prints a result', async () => {
  const rows = tabulateCommands(await createProgram(new CapturedIo(), undefined));
  const without = rows
    .filter(
      ({ subcommands, options }) =>
        subcommands.length === 0 && !options.some(({ flag }) => flag === '--json'),
    )
    .map(({ path }) => path);
  // A protocol, or a script for a shell, is their whole output.
  expect(without).toEqual(['mcp', 'completion']);
});

describe('docs/cli.md', () => {
  const text = readFileSync(join(__dirname, '../../../docs/cli.md'), 'utf8');
  /** Flags of Node and of npm. */
  const OTHERS = ['--env-file', '--import'];

  it('names every command', async () => {
    const rows = tabulateCommands(await createProgram(new CapturedIo(), undefined));
    const missing = rows
      .filter(({ path, subcommands }) => path !== '' && subcommands.length === 0)
      .filter(({ path }) => !new RegExp(`\`(dacapo )?${path}\\b`).test(text) && !isInGroup(path));
    expect(missing.map(({ path }) => path)).toEqual([]);
  });

  /** Rows such as `dacapo keys list`, `keys create` or `dacapo datasets create <name>`, `list`. */
  function isInGroup(path: string): boolean {
    const [group = '', name = ''] = path.split(' ');
    return text
      .split('\n')
      .some((line) => line.startsWith(`| \`dacapo ${group} `) && new RegExp(`\`${name}\\b`).test(line));
  }

  it('names options that exist', async () => {
    const rows = tabulateCommands(await createProgram(new CapturedIo(), undefined));
    const known = new Set([...OTHERS, ...rows.flatMap(({ options }) => options.map(({ flag }) => flag))]);
    const named = [...text.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([flag]) => flag);
    expect(named.filter((flag) => !known.has(flag))).toEqual([]);
  });
});
