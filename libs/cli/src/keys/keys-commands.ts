import {
  type ApiKeySummary,
  type CreateApiKeyRequest,
  DEFAULT_OVERLAP_S,
  type Scope,
  SCOPES,
} from '@dacapo/protocol';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { table } from '../output/table.js';
import { seconds } from '../output/read-words.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';

interface CreateOptions extends ConnectionOptions {
  readonly name: string;
  readonly scope: Scope[];
  readonly expiresIn?: number;
  readonly requestsPerMinute?: number;
}

interface RotateOptions extends ConnectionOptions {
  readonly overlap: number;
}

/** `dacapo keys …`: the API keys of the key's account (SPEC 5). */
export function addKeysCommands(program: Command, io: CliIo): void {
  const keys = program.command('keys').description('API keys of your account');
  const connect = (options: ConnectionOptions) =>
    new ServiceClient(resolveConnection(options, io.env)).api.apiKeys;

  withConnection(keys.command('list'))
    .description('list API keys, without their values')
    .action(async (options: ConnectionOptions) => {
      const answer = await connect(options).list();
      print(io, options, answer, describeKeys(answer.items));
    });

  withConnection(keys.command('create'))
    .description('create a key and print it once')
    .requiredOption('--name <name>', 'its purpose, such as "production"')
    .addOption(
      new Option('--scope <scope...>', 'its scopes; replay includes ingest and read')
        .choices(SCOPES)
        .default(['ingest']),
    )
    .option('--expires-in <time>', 'lifetime of the key, such as 90d (default: no end)', seconds)
    .option('--requests-per-minute <n>', 'limit of requests per minute (default: none)', count)
    .action(async (options: CreateOptions) => {
      const created = await connect(options).create(buildKeyRequest(options));
      // Only the key goes to stdout, so that scripts can read it.
      print(io, options, created, created.api_key);
      if (options.json) return;
      io.stderr.write(
        `Store this key: it is shown only once. Scopes: ${created.scopes.join(', ')}. Id: ${created.id}.\n`,
      );
    });

  withConnection(keys.command('rotate').argument('<id>', 'its id, from `dacapo keys list`'))
    .description('replace a key: print the new one once; both work for the overlap')
    .addOption(
      new Option('--overlap <time>', 'how long the old key keeps working: 0m to 30d')
        .argParser(seconds)
        .default(DEFAULT_OVERLAP_S, `${DEFAULT_OVERLAP_S / 3600}h`),
    )
    .action(async (id: string, options: RotateOptions) => {
      const rotated = await connect(options).rotate({ id, overlap_s: options.overlap });
      print(io, options, rotated, rotated.api_key);
      if (options.json) return;
      io.stderr.write(
        `Store this key: it is shown only once. Id: ${rotated.id}. The old key works until ${rotated.replaces.expires_at}.\n`,
      );
    });

  withConnection(keys.command('revoke').argument('<id>', 'its id, from `dacapo keys list`'))
    .description('revoke a key, immediately and permanently')
    .action(async (id: string, options: ConnectionOptions) => {
      await connect(options).revoke({ id });
      print(io, options, { revoked: id }, `Revoked ${id}.`);
    });
}

function describeKeys(items: readonly ApiKeySummary[]): string {
  const rows = items.map(({ id, name, hint, scopes, created_at, last_used_at, ...key }) => [
    id,
    hint,
    scopes.join(','),
    created_at.slice(0, 10),
    last_used_at?.slice(0, 10) ?? 'never',
    describeExpiry(key.expires_at),
    key.requests_per_minute === undefined ? 'none' : `${key.requests_per_minute}/min`,
    name,
  ]);
  return table([['ID', 'KEY', 'SCOPES', 'CREATED', 'LAST USED', 'EXPIRES', 'LIMIT', 'NAME'], ...rows]);
}

/** To the minute, because a key may last only an hour. */
function describeExpiry(expiresAt: string | undefined): string {
  if (expiresAt === undefined) return 'never';
  return Date.parse(expiresAt) <= Date.now() ? 'expired' : expiresAt.slice(0, 16);
}

function buildKeyRequest({ name, scope, expiresIn, requestsPerMinute }: CreateOptions): CreateApiKeyRequest {
  return {
    name,
    scopes: scope,
    ...(expiresIn !== undefined && { expires_at: new Date(Date.now() + expiresIn * 1000).toISOString() }),
    ...(requestsPerMinute !== undefined && { requests_per_minute: requestsPerMinute }),
  };
}

function count(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Pass a whole number of at least 1.');
}
