import type { Command } from 'commander';
import { join, resolve } from 'node:path';
import { CliError, PathUnreadableError } from '../errors.js';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { readDeclarations } from './baml/declarations.js';
import { readdir, readFile, stat } from 'node:fs/promises';

/** There is no BAML source under the path. */
class NoBamlSourceError extends CliError {
  readonly code = 'CLI_NO_BAML_SOURCE';

  constructor(path: string) {
    super(`No BAML source in ${path}. Name a .baml file, or a folder with .baml files.`);
  }
}

/** The source declares no function, or several and `--entry` is missing. */
class EntryAmbiguousError extends CliError {
  readonly code = 'CLI_ENTRY_AMBIGUOUS';

  constructor(path: string, functions: readonly string[]) {
    super(
      functions.length === 0
        ? `${path} declares no function. Add one: function Name(text: string) -> string { … }`
        : `${path} declares ${functions.join(', ')}. Choose one with --entry <function>.`,
    );
  }
}

interface PushOptions extends ConnectionOptions {
  readonly entry?: string;
  readonly name?: string;
  readonly note?: string;
  readonly activate: boolean;
}

export function addPushCommand(functions: Command, io: CliIo): void {
  withConnection(functions.command('push').argument('<path>', 'a .baml file, or a folder with .baml files'))
    .description('add a version and activate it')
    .option('--entry <function>', 'the function to call (default: the only one in the source)')
    .option('--name <name>', 'its name (default: the name of the BAML function)')
    .option('--note <note>', 'a note about the version')
    .option('--no-activate', 'do not activate it')
    .action((path: string, options: PushOptions) => push(path, options, io));
}

async function push(path: string, options: PushOptions, io: CliIo): Promise<void> {
  const client = new ServiceClient(resolveConnection(options, io.env));
  const source = await readSource(resolve(path));
  const entry = options.entry ?? onlyFunction(path, source);
  const name = options.name ?? entry;
  const { note, activate } = options;
  const pushed = await client.api.functions.push({ name, source, entry, note, activate });
  const { version, is_active } = pushed;
  const next = is_active
    ? 'Calls run this version.'
    : `Not active. Activate it with: dacapo functions activate ${name} ${version}`;
  print(io, options, pushed, `${name} version ${version}. ${next}`);
}

function onlyFunction(path: string, source: string): string {
  const names = [...readDeclarations(source).functions.keys()];
  const [only] = names;
  if (names.length !== 1 || only === undefined) throw new EntryAmbiguousError(path, names);
  return only;
}

/**
 * Reads a BAML file, or joins all `.baml` files in a folder and below, sorted by path.
 *
 * @throws PathUnreadableError, NoBamlSourceError
 */
async function readSource(path: string): Promise<string> {
  let sources: string[];
  try {
    const files = (await stat(path)).isDirectory() ? await listBamlFiles(path) : [path];
    sources = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  } catch (cause) {
    throw new PathUnreadableError(path, { cause });
  }
  const source = sources.join('\n');
  if (source.trim() === '') throw new NoBamlSourceError(path);
  return source;
}

async function listBamlFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.baml'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
