import { type FunctionSummary, type FunctionVersionSummary, routePath, ROUTES } from '@dacapo/protocol';
import type { Command } from 'commander';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { table } from '../output/table.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';

export function addListCommand(functions: Command, io: CliIo): void {
  withConnection(functions.command('list').argument('[name]', 'show the versions of this one'))
    .description('list them, or the versions of one')
    .action(async (name: string | undefined, options: ConnectionOptions) => {
      const client = new ServiceClient(resolveConnection(options, io.env));
      if (name === undefined) {
        const answer = await client.get<{ items: FunctionSummary[] }>(ROUTES.functions, 'items');
        print(io, options, answer, describeFunctions(answer.items));
      } else {
        const path = routePath(ROUTES.functionVersions, { name });
        const answer = await client.get<{ items: FunctionVersionSummary[] }>(path, 'items');
        print(io, options, answer, describeVersions(answer.items));
      }
    });
}

function describeFunctions(items: readonly FunctionSummary[]): string {
  if (items.length === 0) return 'No function yet. Add one: `dacapo functions push <file.baml>`.';
  const rows = items.map(({ name, active_version, version_count, updated_at }) => [
    `${active_version}`,
    `${version_count}`,
    updated_at.slice(0, 10),
    name,
  ]);
  return table([['ACTIVE', 'VERSIONS', 'UPDATED', 'NAME'], ...rows]);
}

function describeVersions(items: readonly FunctionVersionSummary[]): string {
  const rows = items.map(({ version, is_active, created_at, entry, note }) => [
    `${version}`,
    is_active ? 'active' : '',
    created_at.slice(0, 10),
    entry,
    note ?? '',
  ]);
  return table([['VERSION', '', 'CREATED', 'FUNCTION', 'NOTE'], ...rows]);
}
