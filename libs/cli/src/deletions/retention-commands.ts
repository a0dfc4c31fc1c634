import type { Client } from '@dacapo/client';
import type { RetentionPolicy } from '@dacapo/protocol';
import { Argument, type Command } from 'commander';
import type { CliIo } from '../io.js';
import { requireConfirmation } from '../output/require-confirmation.js';
import { print } from '../output/print.js';
import { counted, table } from '../output/table.js';
import { wholeNumber } from '../output/read-words.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';

interface RuleWords extends ConnectionOptions {
  readonly key?: string;
  readonly yes?: true;
  readonly dryRun?: true;
}

const OF_KEY =
  'the rule for traces that contain a call with this key (default: the rule for all other traces)';

/** `dacapo retention …`: how long traces are kept before they are deleted. */
export function addRetentionCommands(program: Command, io: CliIo): void {
  const retention = program.command('retention').description('rules for how long traces are kept');
  const connect = (words: ConnectionOptions): Client['retention'] =>
    new ServiceClient(resolveConnection(words, io.env)).api.retention;

  withConnection(retention.command('show'))
    .description('show the retention rules')
    .action(async (words: ConnectionOptions) => {
      const policy = await connect(words).get();
      print(io, words, policy, describe(policy));
    });

  withConnection(retention.command('set'))
    .addArgument(
      new Argument('<days>', 'the age in days at which traces are deleted').argParser(wholeNumber(1)),
    )
    .description('keep traces for this many days; the service deletes older ones within an hour')
    .option('--key <key>', OF_KEY)
    .option('--dry-run', 'only show how many traces would be deleted')
    .option('--yes', 'do not ask')
    .action(async (days: number, words: RuleWords) => {
      const client = connect(words);
      const ofKey = words.key === undefined ? {} : { trace_function_key: words.key };
      const rule = { ...ofKey, days };
      const preview = await client.preview(rule);
      const { traces, of_traces: all } = preview;
      const old = `${traces} of ${counted(all, 'trace')}: those older than ${counted(days, 'day')}`;
      if (words.dryRun) {
        print(io, words, preview, `It would delete ${old}.`);
        return;
      }
      if (traces > 0) await requireConfirmation(io, words, `Within an hour this deletes ${old}.`);
      const policy = await client.set(rule);
      print(io, words, policy, describe(policy));
    });

  withConnection(retention.command('remove'))
    .description('remove a retention rule; the rule of the account then applies, if it has one')
    .option('--key <key>', OF_KEY)
    .action(async (words: RuleWords) => {
      const ofKey = words.key === undefined ? {} : { trace_function_key: words.key };
      const policy = await connect(words).set({ ...ofKey, days: null });
      print(io, words, policy, describe(policy));
    });
}

function describe({ days, keys }: RetentionPolicy): string {
  const ofAccount = days === undefined ? 'for ever' : counted(days, 'day');
  const rows = keys.map((rule) => [rule.trace_function_key, counted(rule.days, 'day')]);
  return table([['TRACES OF', 'ARE KEPT'], ...rows, [rows.length > 0 ? '(any other)' : '(any)', ofAccount]]);
}
