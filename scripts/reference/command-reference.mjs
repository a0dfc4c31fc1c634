import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../workspace.mjs';

const HEAD = `# Help of each command

What \`dacapo --help\` and \`dacapo <command> --help\` print. [The command line](cli.md) explains the commands.`;

/** Generates the reference of the command line from the help of each command and subcommand. */
export async function commandReference() {
  const { run } = await import(pathToFileURL(join(ROOT, 'libs/cli/dist/esm/index.js')).href);
  return `${[HEAD, ...(await describeCommand(run, []))].join('\n\n')}\n`.replace(/ +$/gm, '');
}

async function describeCommand(run, words) {
  const help = await printHelp(run, words);
  const parts = [`## \`${['dacapo', ...words].join(' ')}\`\n\n\`\`\`\n${help}\n\`\`\``];
  for (const name of findCommands(help)) parts.push(...(await describeCommand(run, [...words, name])));
  return parts;
}

async function printHelp(run, words) {
  let text = '';
  const sink = { write: (part) => (text += part) };
  const code = await run([...words, '--help'], { stdout: sink, stderr: sink, env: {} });
  if (code !== 0) throw new Error(`dacapo ${words.join(' ')} --help ended with ${code}: ${text}`);
  return text.trim();
}

/** The names under "Commands:", without `help`. */
function findCommands(help) {
  const [, list = ''] = /^Commands:\n((?: {2}.*\n?)+)/m.exec(help) ?? [];
  return [...list.matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name).filter((name) => name !== 'help');
}
