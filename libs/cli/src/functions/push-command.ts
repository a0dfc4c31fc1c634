import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { type FunctionVersionRecord, type PushFunctionRequest, routePath, ROUTES } from '@dacapo/protocol';
import type { Command } from 'commander';
import { PathUnreadableError } from '../errors.js';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';

interface PushOptions extends ConnectionOptions {
  readonly name?: string;
  readonly entry?: string;
  readonly note?: string;
  readonly activate: boolean;
}

export function addPushCommand(functions: Command, io: CliIo): void {
  withConnection(functions.command('push').argument('<file>', 'BAML source'))
    .description('add a version of one; the same source as the newest makes no new version')
    .option('--name <name>', "what applications call it (the file's name)")
    .option('--entry <function>', 'which function of the source to run (the one of that name)')
    .option('--note <text>', 'why this version was made')
    .option('--no-activate', 'leave the active version as it is')
    .action((file: string, options: PushOptions) => push(file, options, io));
}

async function push(file: string, options: PushOptions, io: CliIo): Promise<void> {
  const client = new ServiceClient(resolveConnection(options, io.env));
  const { name = basename(file, extname(file)), entry, note, activate } = options;
  const request: PushFunctionRequest = {
    source: await read(file),
    ...(entry !== undefined && { entry }),
    ...(note !== undefined && { note }),
    activate,
  };
  const pushed = await client.post<FunctionVersionRecord>(
    routePath(ROUTES.functionVersions, { name }),
    request,
  );
  const state = pushed.is_active
    ? 'active'
    : `not active: \`dacapo functions activate ${name} ${pushed.version}\``;
  print(io, options, pushed, `${name} version ${pushed.version}, ${state}`);
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new PathUnreadableError(file, { cause });
  }
}
