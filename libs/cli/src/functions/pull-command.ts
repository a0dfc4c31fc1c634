import { type FunctionVersionRecord, routePath, ROUTES } from '@dacapo/protocol';
import type { Command } from 'commander';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';

export function addPullCommand(functions: Command, io: CliIo): void {
  withConnection(functions.command('pull').argument('<name>').argument('[version]', 'a number', 'active'))
    .description('print the source of a version')
    .action(async (name: string, version: string, options: ConnectionOptions) => {
      const client = new ServiceClient(resolveConnection(options, io.env));
      const path = routePath(ROUTES.functionVersion, { name, version });
      const pulled = await client.get<FunctionVersionRecord>(path);
      print(io, options, pulled, pulled.source);
    });
}
