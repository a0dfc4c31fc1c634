import { routePath, ROUTES } from '@dacapo/protocol';
import type { Command } from 'commander';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';

export function addRemoveCommand(indexes: Command, io: CliIo): void {
  withConnection(indexes.command('remove').argument('<index_id>'))
    .description('remove one with all its documents')
    .action(async (indexId: string, options: ConnectionOptions) => {
      const client = new ServiceClient(resolveConnection(options, io.env));
      await client.delete(routePath(ROUTES.index, { index_id: indexId }));
      print(io, options, { removed: indexId }, `Removed ${indexId}.`);
    });
}
