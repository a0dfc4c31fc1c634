import { execFile } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import type { DocumentUpload } from '@dacapo/protocol';
import type { Command } from 'commander';
import type { CliIo } from '../io.js';
import { type ConnectionOptions, withConnection } from '../service/connection.js';
import { NoHelpError } from './errors.js';
import { fillIndex } from './add-command.js';

/** Limits for following subcommands. */
const BOUNDS = { depth: 3, commands: 200, timeoutMs: 10_000, bytes: 4 * 1024 * 1024 } as const;

const SECTION = /^([A-Z][\w /-]{1,60}):?\s*$/;
const COMMANDS = /^(?:available |sub|core |other )*commands?\b/i;
/** A command in a list: indented, then its description. */
const LISTED = /^ {1,8}([a-z][\w-]*)(?:[|,][\w-]+)*(?: (?:\[|<)[^ ]*)*(?: {2,}|\t|$|:)/;

export function addAddCliCommand(indexes: Command, io: CliIo): void {
  withConnection(indexes.command('add-cli').argument('<command>', 'a program on the PATH, or its path'))
    .description('create an index of the --help of a program and its subcommands')
    .option('--name <name>', 'the name in lists (default: the command)')
    .action(async (command: string, options: ConnectionOptions & { readonly name?: string }) => {
      const files = await helpDocuments(command);
      if (files.length === 0) throw new NoHelpError(command);
      await fillIndex({ name: options.name ?? command, type: 'CLI' }, { files, skipped: [] }, options, io);
    });
}

/** Makes a document for the command and for each subcommand with its own help. */
async function helpDocuments(command: string): Promise<DocumentUpload[]> {
  const documents: DocumentUpload[] = [];
  const seen = new Set<string>();
  const waiting: string[][] = [[]];
  for (let words = waiting.shift(); words && documents.length < BOUNDS.commands; words = waiting.shift()) {
    const help = await readHelp(command, words);
    if (help === undefined || seen.has(help)) continue;
    seen.add(help);
    const name = [command, ...words].join(' ');
    documents.push({ source: name, content: toMarkdown(name, help), content_type: 'text/markdown' });
    if (words.length < BOUNDS.depth) waiting.push(...subcommands(help).map((word) => [...words, word]));
  }
  return documents;
}

/** Ignores the exit code, and falls back to stderr: some programs print help there and fail. */
function readHelp(command: string, words: readonly string[]): Promise<string | undefined> {
  const env = {
    ...process.env,
    PAGER: 'cat',
    MANPAGER: 'cat',
    GIT_PAGER: 'cat',
    NO_COLOR: '1',
    COLUMNS: '120',
  };
  const options = { env, timeout: BOUNDS.timeoutMs, maxBuffer: BOUNDS.bytes };
  return new Promise((resolve) => {
    const child = execFile(command, [...words, '--help'], options, (_, out, err) => {
      const text = stripVTControlCharacters(out.trim() === '' ? err : out);
      resolve(/\w+\s+\w+/.test(text) ? text.trimEnd() : undefined);
    });
    child.stdin?.end();
  });
}

function subcommands(help: string): string[] {
  const found = new Set<string>();
  let isList = false;
  for (const line of help.split('\n')) {
    const heading = SECTION.exec(line)?.[1];
    if (heading !== undefined) isList = COMMANDS.test(heading);
    const name = isList ? LISTED.exec(line)?.[1] : undefined;
    if (name !== undefined && name !== 'help') found.add(name);
  }
  return [...found];
}

/** Sections become headings, and text becomes code blocks, which keep its alignment. */
function toMarkdown(name: string, help: string): string {
  const lines = [`# ${name}`, '', '```text'];
  for (const line of help.split('\n')) {
    const heading = SECTION.exec(line)?.[1];
    if (heading === undefined) lines.push(line.replaceAll('```', "'''"));
    else lines.push('```', '', `## ${heading}`, '', '```text');
  }
  return [...lines, '```', ''].join('\n').replace(/```text\n\s*```\n/g, '');
}
