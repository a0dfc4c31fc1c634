import { readPages } from '@dacapo/client';
import type { AuditEntry } from '@dacapo/protocol';
import type { Command } from 'commander';
import type { CliIo } from '../io.js';
import { describeActor } from '../members/members-commands.js';
import { print } from '../output/print.js';
import { table } from '../output/table.js';
import { wholeNumber } from '../output/read-words.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';

interface AuditOptions extends ConnectionOptions {
  readonly limit: number;
}

/** `dacapo audit`: who changed what in the key's account. */
export function addAuditCommand(program: Command, io: CliIo): void {
  withConnection(program.command('audit'))
    .description(
      'list who changed keys, members, browsers, runs, datasets, indexes, functions and retention, or deleted data; newest first',
    )
    .option('--limit <n>', 'maximum number of entries', wholeNumber(1), 50)
    .action(async (options: AuditOptions) => {
      const client = new ServiceClient(resolveConnection(options, io.env));
      const items: AuditEntry[] = [];
      for await (const entries of readPages((page) => client.api.audit.list(page))) {
        items.push(...entries.slice(0, options.limit - items.length));
        if (items.length === options.limit) break;
      }
      print(io, options, { items }, describe(items));
    });
}

function describe(items: readonly AuditEntry[]): string {
  if (items.length === 0) return 'No changes yet.';
  const rows = items.map((entry) => [
    entry.at.slice(0, 19),
    entry.action,
    entry.object ?? '',
    describeActor(entry),
    entry.browser_session_id ?? '',
  ]);
  return table([['AT', 'ACTION', 'OBJECT', 'WITH', 'BROWSER'], ...rows]);
}
