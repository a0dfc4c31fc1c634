import { type FunctionVersionRecord, routePath, ROUTES } from '@dacapo/protocol';
import type { Command } from 'commander';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { parseVersion } from './parse-version.js';
import { writeOutput } from '../output/write-output.js';

interface PullOptions extends ConnectionOptions {
  readonly out?: string;
}

export function addPullCommand(functions: Command, io: CliIo): void {
  withConnection(
    functions
      .command('pull')
      .argument('<name>', 'as `dacapo functions list` shows it')
      .argument('[version]', 'its number (the active one)', parseVersion),
  )
    .description('print the source of a version, or write it to a file')
    .option('--out <file>', 'write it there')
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
  const client = new ServiceClient(resolveConnection(options, io.env));
  const path = routePath(ROUTES.functionVersion, { name, version: String(version ?? 'active') });
  const record = await client.get<FunctionVersionRecord>(path, 'source');
  if (options.out !== undefined) await writeOutput(options.out, record.source);
  const text =
    options.out === undefined ? record.source : `${name} version ${record.version} → ${options.out}`;
  print(io, options, record, text);
}
