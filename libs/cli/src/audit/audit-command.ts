import { type AuditEntry, type Page, ROUTES } from '@dacapo/protocol';
import type { Command } from 'commander';
import type { CliIo } from '../io.js';
import { describeActor } from '../members/members-commands.js';
import { print } from '../output/print.js';
import { table } from '../output/table.js';
import { wholeNumber } from '../replay/read-words.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';

interface AuditOptions extends ConnectionOptions {
  readonly limit: number;
}

const PAGE_SIZE = 200;

/** `dacapo audit`: who changed what in the key's account. */
export function addAuditCommand(program: Command, io: CliIo): void {
  withConnection(program.command('audit'))
    .description(
      'list who changed what: keys, members, browsers, runs, datasets, indexes, functions, retention, what was deleted; the newest first',
    )
    .option('--limit <n>', 'entries at most', wholeNumber(1), 50)
    .action(async (options: AuditOptions) => {
      const client = new ServiceClient(resolveConnection(options, io.env));
      const items: AuditEntry[] = [];
      let cursor: string | undefined;
      do {
        const limit = Math.min(PAGE_SIZE, options.limit - items.length);
        const query = new URLSearchParams({ limit: String(limit), ...(cursor !== undefined && { cursor }) });
        const page = await client.get<Page<AuditEntry>>(`${ROUTES.auditLog}?${query.toString()}`, 'items[]');
        items.push(...page.items);
        cursor = page.next_cursor;
      } while (cursor !== undefined && items.length < options.limit);
      print(io, options, { items }, describe(items));
    });
}

function describe(items: readonly AuditEntry[]): string {
  if (items.length === 0) return 'Nobody has changed anything yet.';
  const rows = items.map((entry) => [
    entry.at.slice(0, 19),
    entry.action,
    entry.object ?? '',
    describeActor(entry),
    entry.browser_session_id ?? '',
  ]);
  return table([['AT', 'ACTION', 'OBJECT', 'WITH', 'BROWSER'], ...rows]);
}
