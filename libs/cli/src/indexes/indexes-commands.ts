import type { Command } from 'commander';
import type { CliIo } from '../io.js';
import { addAddCliCommand } from './add-cli-command.js';
import { addAddPackageCommand } from './add-package-command.js';
import { addAddUrlCommand } from './add-url-command.js';
import { addAddCommand } from './add-command.js';
import { findIndexId } from './find-index.js';
import { addRefreshCommand } from './refresh-command.js';
import { addSearchCommand } from './search-command.js';
import type { IndexDetail } from '@dacapo/protocol';
import { print } from '../output/print.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { table } from '../output/table.js';

/** `dacapo indexes …`: the indexes of an account (SPEC 2.3) and their documents. */
export function addIndexesCommands(program: Command, io: CliIo): void {
  const indexes = program.command('indexes').description('searchable documents for applications and models');
  addAddCommand(indexes, io);
  addAddPackageCommand(indexes, io);
  addAddCliCommand(indexes, io);
  addAddUrlCommand(indexes, io);
  addRefreshCommand(indexes, io);
  addListCommand(indexes, io);
  addRemoveCommand(indexes, io);
  addSearchCommand(indexes, io);
}

function addRemoveCommand(indexes: Command, io: CliIo): void {
  withConnection(indexes.command('remove').argument('<index>', 'its name or its id'))
    .description('delete an index with its documents')
    .action(async (index: string, options: ConnectionOptions) => {
      const client = new ServiceClient(resolveConnection(options, io.env));
      const index_id = await findIndexId(client, index);
      await client.api.indexes.delete({ index_id });
      print(io, options, { removed: index_id }, `Removed ${index_id}.`);
    });
}

function addListCommand(indexes: Command, io: CliIo): void {
  withConnection(indexes.command('list'))
    .description('list indexes')
    .action(async (options: ConnectionOptions) => {
      const client = new ServiceClient(resolveConnection(options, io.env));
      const answer = await client.api.indexes.list();
      print(io, options, answer, describe(answer.items));
    });
}

function describe(items: readonly IndexDetail[]): string {
  if (items.length === 0)
    return 'No indexes yet. Add one: `dacapo indexes add <folder> --name <name> --type <type>`.';
  const rows = items.map(({ index_id, type, name, document_count, remote }) => [
    index_id,
    type,
    `${document_count}`,
    remote ? `${name}  (${remote.url})` : name,
  ]);
  return table([['INDEX ID', 'TYPE', 'DOCUMENTS', 'NAME'], ...rows]);
}
