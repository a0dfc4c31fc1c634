import type { BrowserSessionSummary } from '@dacapo/protocol';
import type { Command } from 'commander';
import { UsageError } from '../errors.js';
import type { CliIo } from '../io.js';
import { describeActor } from '../members/members-commands.js';
import { print } from '../output/print.js';
import { table } from '../output/table.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';

interface SignOutOptions extends ConnectionOptions {
  readonly all?: true;
}

/** `dacapo browsers …`: browsers that are signed in to the dashboard of the key's account. */
export function addBrowsersCommands(program: Command, io: CliIo): void {
  const browsers = program.command('browsers').description('browsers that are signed in to the dashboard');
  const connect = (options: ConnectionOptions) =>
    new ServiceClient(resolveConnection(options, io.env)).api.browserSessions;

  withConnection(browsers.command('list'))
    .description('list browsers with the member or key that signed in')
    .action(async (options: ConnectionOptions) => {
      const answer = await connect(options).list();
      print(io, options, answer, describe(answer.items));
    });

  withConnection(browsers.command('sign-out').argument('[id]', 'its id, from `dacapo browsers list`'))
    .description('sign out one browser, or all of them, immediately')
    .option('--all', 'all browsers of the account')
    .action(async (id: string | undefined, options: SignOutOptions) => {
      const client = connect(options);
      if ((id === undefined) === (options.all === undefined)) {
        throw new UsageError('Pass the id of a browser, or --all.');
      }
      if (id !== undefined) {
        await client.end({ id });
        print(io, options, { ended: 1 }, `Signed ${id} out.`);
        return;
      }
      const answer = await client.endAll();
      print(io, options, answer, `Signed out everywhere: ${answer.ended}.`);
    });
}

function describe(items: readonly BrowserSessionSummary[]): string {
  if (items.length === 0) return 'No browser is signed in.';
  const rows = items.map((session) => [
    session.id,
    session.browser ?? 'unknown',
    describeActor(session),
    session.created_at.slice(0, 16),
    session.last_used_at?.slice(0, 16) ?? 'never',
  ]);
  return table([['ID', 'BROWSER', 'SIGNED IN WITH', 'CREATED', 'LAST USED'], ...rows]);
}
