import { type IndexDetail, ROUTES } from '@dacapo/protocol';
import type { Command } from 'commander';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { table } from '../output/table.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';

export function addListCommand(indexes: Command, io: CliIo): void {
  withConnection(indexes.command('list'))
    .description('list them')
    .action(async (options: ConnectionOptions) => {
      const client = new ServiceClient(resolveConnection(options, io.env));
      const answer = await client.get<{ items: IndexDetail[] }>(ROUTES.indexes, 'items');
      print(io, options, answer, describe(answer.items));
    });
}

function describe(items: readonly IndexDetail[]): string {
  if (items.length === 0)
    return 'No index yet. Add one: `dacapo indexes add <folder> --name <name> --type <type>`.';
  const rows = items.map(({ index_id, type, name, document_count }) => [
    index_id,
    type,
    `${document_count}`,
    name,
  ]);
  return table([['INDEX ID', 'TYPE', 'DOCUMENTS', 'NAME'], ...rows]);
}
