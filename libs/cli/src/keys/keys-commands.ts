import {
  type ApiKeySummary,
  type CreateApiKeyRequest,
  type CreatedApiKey,
  routePath,
  ROUTES,
  type Scope,
  SCOPES,
} from '@dacapo/protocol';
import { type Command, Option } from 'commander';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { table } from '../output/table.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';

interface CreateOptions extends ConnectionOptions {
  readonly name: string;
  readonly scope: Scope[];
}

/** `dacapo keys …`: the API keys of the account that the given key belongs to (SPEC 5). */
export function addKeysCommands(program: Command, io: CliIo): void {
  const keys = program.command('keys').description('API keys of your account');
  const clientOf = (options: ConnectionOptions): ServiceClient =>
    new ServiceClient(resolveConnection(options, io.env));

  withConnection(keys.command('list'))
    .description('list them, without the keys themselves')
    .action(async (options: ConnectionOptions) => {
      const answer = await clientOf(options).get<{ items: ApiKeySummary[] }>(ROUTES.apiKeys, 'items');
      print(io, options, answer, describeKeys(answer.items));
    });

  withConnection(keys.command('create'))
    .description('make one; it is shown this once')
    .requiredOption('--name <name>', 'what it is for, such as "production"')
    .addOption(
      new Option('--scope <scope...>', 'what it may do; replay includes ingest and read')
        .choices(SCOPES)
        .default(['ingest']),
    )
    .action(async (options: CreateOptions) => {
      const created = await clientOf(options).post<CreatedApiKey>(
        ROUTES.apiKeys,
        { name: options.name, scopes: options.scope } satisfies CreateApiKeyRequest,
        'api_key',
        'id',
      );
      // What a script takes is the key alone.
      print(io, options, created, created.api_key);
      if (options.json) return;
      io.stderr.write(
        `Keep it: it is shown this once. It may ${created.scopes.join(', ')}. Its id is ${created.id}.\n`,
      );
    });

  withConnection(keys.command('revoke').argument('<id>', 'as `dacapo keys list` shows it'))
    .description('make one invalid, at once and for good')
    .action(async (id: string, options: ConnectionOptions) => {
      await clientOf(options).delete(routePath(ROUTES.apiKey, { id }));
      print(io, options, { revoked: id }, `Revoked ${id}.`);
    });
}

function describeKeys(items: readonly ApiKeySummary[]): string {
  const rows = items.map(({ id, name, hint, scopes, created_at, last_used_at }) => [
    id,
    hint,
    scopes.join(','),
    created_at.slice(0, 10),
    last_used_at?.slice(0, 10) ?? 'never',
    name,
  ]);
  return table([['ID', 'KEY', 'SCOPES', 'CREATED', 'LAST USED', 'NAME'], ...rows]);
}
