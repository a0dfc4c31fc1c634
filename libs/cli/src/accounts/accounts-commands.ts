import type { CreatedAccount } from '@dacapo/protocol';
import type { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { UsageError } from '../errors.js';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { resolveConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';

interface CreateOptions {
  readonly name: string;
  readonly dataDir: string;
  readonly operatorTokenFile?: string;
  readonly url?: string;
  readonly json?: true;
}

/** `dacapo accounts create`, for the operator of a service. */
export function addAccountsCommands(program: Command, io: CliIo): void {
  program
    .command('accounts')
    .description('accounts of a service, for its operator')
    .command('create')
    .description('create an account and its first key, in a data directory or at a running service')
    .requiredOption('--name <name>', 'the name of the account, such as a team')
    .option('--data-dir <folder>', 'the database folder; no service may use it', '.dacapo')
    .option(
      '--operator-token-file <file>',
      'create it in a running service that was started with the same file',
    )
    .option('--url <url>', 'the address of that service')
    .option('--json', 'print JSON for machines')
    .action(async (options: CreateOptions) => {
      const created = await create(options, io);
      print(io, options, created, created.api_key.api_key);
      if (options.json) return;
      io.stderr.write(
        `Created account "${created.account.name}" (${created.account.id}). This is its first key, with every scope. It is shown only once.\n`,
      );
    });
}

async function create(
  { name, dataDir, operatorTokenFile, url }: CreateOptions,
  io: CliIo,
): Promise<CreatedAccount> {
  if (name.trim() === '') throw new UsageError('--name is blank. Name the account.');
  if (operatorTokenFile === undefined) {
    const { createAccount } = await import('@dacapo/collector');
    return createAccount({ dataDir, name });
  }
  const apiKey = readFileSync(operatorTokenFile, 'utf8').trim();
  const client = new ServiceClient(resolveConnection({ apiKey, ...(url !== undefined && { url }) }, io.env));
  return client.api.accounts.create({ name });
}
