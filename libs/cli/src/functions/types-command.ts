import { type FunctionSummary, type FunctionVersionRecord, routePath, ROUTES } from '@dacapo/protocol';
import type { Command } from 'commander';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { counted } from '../output/table.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { typesFile } from './types-file.js';
import { writeOutput } from '../output/write-output.js';

interface TypesOptions extends ConnectionOptions {
  readonly out?: string;
}

export function addTypesCommand(functions: Command, io: CliIo): void {
  withConnection(functions.command('types').argument('[names...]', 'only these'))
    .description('write TypeScript types of inputs and outputs, which make `tracer.call` typed')
    .option('--out <file>', 'write them there')
    .action((names: string[], options: TypesOptions) => writeTypes(names, options, io));
}

async function writeTypes(names: readonly string[], options: TypesOptions, io: CliIo): Promise<void> {
  const client = new ServiceClient(resolveConnection(options, io.env));
  const { items } = names.length > 0 ? { items: names.map((name) => ({ name })) } : await list(client);
  const records: FunctionVersionRecord[] = [];
  for (const { name } of items) {
    records.push(
      await client.get(routePath(ROUTES.functionVersion, { name, version: 'active' }), 'source', 'entry'),
    );
  }
  const types = typesFile(records);
  if (options.out !== undefined) await writeOutput(options.out, types);
  const done = `${counted(records.length, 'function')} → ${options.out ?? ''}`;
  print(io, options, { types, out: options.out }, options.out === undefined ? types : done);
}

function list(client: ServiceClient): Promise<{ items: FunctionSummary[] }> {
  return client.get(ROUTES.functions, 'items');
}
