import {
  type ActivateFunctionRequest,
  type FunctionVersionRecord,
  routePath,
  ROUTES,
} from '@dacapo/protocol';
import { type Command, InvalidArgumentError } from 'commander';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';

export function addActivateCommand(functions: Command, io: CliIo): void {
  withConnection(
    functions.command('activate').argument('<name>').argument('<version>', 'a number', parseVersion),
  )
    .description('make calls run another version from now on')
    .action(async (name: string, version: number, options: ConnectionOptions) => {
      const client = new ServiceClient(resolveConnection(options, io.env));
      const request: ActivateFunctionRequest = { version };
      const path = routePath(ROUTES.activateFunction, { name });
      const active = await client.post<FunctionVersionRecord>(path, request);
      print(io, options, active, `${name} version ${active.version}, active`);
    });
}

function parseVersion(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('A version is a whole number from 1 up.');
}
