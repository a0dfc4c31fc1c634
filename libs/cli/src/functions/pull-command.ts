import { type FunctionVersionRecord, routePath, ROUTES } from '@dacapo/protocol';
import { type Command } from 'commander';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { parseVersion } from './parse-version.js';
import { writeOutput } from './write-output.js';

interface PullOptions extends ConnectionOptions {
  readonly version?: number;
  readonly out?: string;
}

export function addPullCommand(functions: Command, io: CliIo): void {
  withConnection(functions.command('pull').argument('<name>', 'as `dacapo functions list` shows it'))
    .description('print the source of a version, or write it to a file')
    .option('--version <version>', 'a number (the active one)', parseVersion)
    .option('--out <file>', 'write it there')
    .action((name: string, options: PullOptions) => pull(name, options, io));
}

async function pull(name: string, options: PullOptions, io: CliIo): Promise<void> {
  const client = new ServiceClient(resolveConnection(options, io.env));
  const version = String(options.version ?? 'active');
  const record = await client.get<FunctionVersionRecord>(
    routePath(ROUTES.functionVersion, { name, version }),
  );
  if (options.out !== undefined) await writeOutput(options.out, record.source);
  const text =
    options.out === undefined ? record.source : `${name} version ${record.version} → ${options.out}`;
  print(io, options, record, text);
}
