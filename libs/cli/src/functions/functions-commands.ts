import type { Command } from 'commander';
import type { CliIo } from '../io.js';
import { addListCommand } from './list-command.js';
import { addPullCommand } from './pull-command.js';
import { addPushCommand } from './push-command.js';
import { addTypesCommand } from './types-command.js';
import { type FunctionVersionRecord, routePath, ROUTES } from '@dacapo/protocol';
import { print } from '../output/print.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { parseVersion } from './parse-version.js';

/** `dacapo functions …`: native functions, which `tracer.call` runs (SPEC 4.2). */
export function addFunctionsCommands(program: Command, io: CliIo): void {
  const functions = program.command('functions').description('native functions: prompts kept in the service');
  addPushCommand(functions, io);
  addPullCommand(functions, io);
  addListCommand(functions, io);
  addActivateCommand(functions, io);
  addTypesCommand(functions, io);
}

function addActivateCommand(functions: Command, io: CliIo): void {
  withConnection(
    functions
      .command('activate')
      .argument('<name>', 'as `dacapo functions list` shows it')
      .argument('<version>', 'its number', parseVersion),
  )
    .description('let calls run this version, a newer or an older one')
    .action(async (name: string, version: number, options: ConnectionOptions) => {
      const client = new ServiceClient(resolveConnection(options, io.env));
      const path = routePath(ROUTES.activateFunction, { name });
      const activated = await client.post<FunctionVersionRecord>(path, { version }, 'version');
      print(io, options, activated, `Calls of ${name} run version ${version} from now on.`);
    });
}
