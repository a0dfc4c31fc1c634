import type { Client } from '@dacapo/client';
import type { FunctionSummary, FunctionVersionRecord, FunctionVersionSummary } from '@dacapo/protocol';
import { type Command, InvalidArgumentError } from 'commander';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { counted, table } from '../output/table.js';
import { writeOutput } from '../output/write-output.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { addPushCommand } from './push-command.js';
import { typesFile } from './types-file.js';

/** `dacapo functions …`: native functions, which `tracer.call` runs (SPEC 4.2). */
export function addFunctionsCommands(program: Command, io: CliIo): void {
  const functions = program
    .command('functions')
    .description('native functions: prompts that the service stores');
  addPushCommand(functions, io);
  addPullCommand(functions, io);
  addListCommand(functions, io);
  addActivateCommand(functions, io);
  addTypesCommand(functions, io);
}

interface PullOptions extends ConnectionOptions {
  readonly out?: string;
}

function addPullCommand(functions: Command, io: CliIo): void {
  withConnection(
    functions
      .command('pull')
      .argument('<name>', 'its name, from `dacapo functions list`')
      .argument('[version]', 'the version number (default: the active one)', parseVersion),
  )
    .description('print the source of a version, or write it to a file')
    .option('--out <file>', 'the file to write')
    .action((name: string, version: number | undefined, options: PullOptions) =>
      pull(io, name, version, options),
    );
}

async function pull(
  io: CliIo,
  name: string,
  version: number | undefined,
  options: PullOptions,
): Promise<void> {
  const record = await connect(options, io).get({ name, version: version ?? 'active' });
  if (options.out !== undefined) await writeOutput(options.out, record.source);
  const text =
    options.out === undefined ? record.source : `${name} version ${record.version} → ${options.out}`;
  print(io, options, record, text);
}

function addListCommand(functions: Command, io: CliIo): void {
  withConnection(functions.command('list').argument('[name]', 'the function whose versions to list'))
    .description('list functions, or the versions of one')
    .action(async (name: string | undefined, options: ConnectionOptions) => {
      const client = connect(options, io);
      if (name === undefined) {
        const answer = await client.list();
        print(io, options, answer, describeFunctions(answer.items));
      } else {
        const answer = await client.listVersions({ name });
        print(io, options, answer, describeVersions(answer.items));
      }
    });
}

function describeFunctions(items: readonly FunctionSummary[]): string {
  if (items.length === 0) return 'No functions yet. Add one: `dacapo functions push <file.baml>`.';
  const rows = items.map(({ name, active_version, version_count, updated_at }) => [
    `${active_version}`,
    `${version_count}`,
    updated_at.slice(0, 10),
    name,
  ]);
  return table([['ACTIVE', 'VERSIONS', 'UPDATED', 'NAME'], ...rows]);
}

function describeVersions(items: readonly FunctionVersionSummary[]): string {
  const rows = items.map(({ version, is_active, created_at, entry, note }) => [
    `${version}`,
    is_active ? 'active' : '',
    created_at.slice(0, 10),
    entry,
    note ?? '',
  ]);
  return table([['VERSION', '', 'CREATED', 'FUNCTION', 'NOTE'], ...rows]);
}

function addActivateCommand(functions: Command, io: CliIo): void {
  withConnection(
    functions
      .command('activate')
      .argument('<name>', 'its name, from `dacapo functions list`')
      .argument('<version>', 'its number', parseVersion),
  )
    .description('activate a version, newer or older than the active one')
    .action(async (name: string, version: number, options: ConnectionOptions) => {
      const activated = await connect(options, io).activate({ name, version });
      print(io, options, activated, `Calls of ${name} run version ${version} from now on.`);
    });
}

interface TypesOptions extends ConnectionOptions {
  readonly out?: string;
}

function addTypesCommand(functions: Command, io: CliIo): void {
  withConnection(functions.command('types').argument('[names...]', 'only these'))
    .description('write TypeScript types of inputs and outputs, so that `tracer.call` is typed')
    .option('--out <file>', 'the file to write')
    .action((names: string[], options: TypesOptions) => writeTypes(names, options, io));
}

async function writeTypes(names: readonly string[], options: TypesOptions, io: CliIo): Promise<void> {
  const client = connect(options, io);
  const { items } = names.length > 0 ? { items: names.map((name) => ({ name })) } : await client.list();
  const records: FunctionVersionRecord[] = [];
  for (const { name } of items) records.push(await client.get({ name, version: 'active' }));
  const types = typesFile(records);
  if (options.out !== undefined) await writeOutput(options.out, types);
  const done = `${counted(records.length, 'function')} → ${options.out ?? ''}`;
  print(io, options, { types, out: options.out }, options.out === undefined ? types : done);
}

function connect(options: ConnectionOptions, io: CliIo): Client['functions'] {
  return new ServiceClient(resolveConnection(options, io.env)).api.functions;
}

function parseVersion(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Pass a whole number of at least 1.');
}
