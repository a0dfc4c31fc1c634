import {
  type CreateDeletionRequest,
  type DeletionCounts,
  type DeletionPreview,
  type DeletionRecord,
} from '@dacapo/protocol';
import type { Command } from 'commander';
import { UsageError } from '../errors.js';
import type { CliIo } from '../io.js';
import { requireConfirmation } from '../output/require-confirmation.js';
import { print } from '../output/print.js';
import { showProgress } from '../output/progress-line.js';
import { counted } from '../output/table.js';
import { each, moment } from '../output/read-words.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';

interface DeleteWords extends ConnectionOptions {
  readonly trace?: string[];
  readonly session?: string;
  readonly user?: string;
  readonly key?: string;
  readonly before?: string;
  readonly account?: true;
  readonly keepCopies?: true;
  readonly dryRun?: true;
  readonly yes?: true;
  /** False with `--no-wait`. */
  readonly wait: boolean;
}

const POLL_MS = 250;

/** `dacapo delete`: deletes traces with all their copies, or the whole account. */
export function addDeleteCommand(program: Command, io: CliIo): void {
  withConnection(program.command('delete'))
    .description('delete traces with all their copies, or the account')
    .option('--trace <id>', 'the trace with this id; repeat for more', each(String))
    .option('--session <id>', 'everything recorded for this session until now')
    .option('--user <id>', 'everything recorded for this user until now')
    .option('--key <key>', 'only traces that contain a call with this key')
    .option(
      '--before <time>',
      'traces that started before this time: ISO 8601, or an age such as 30d',
      moment(Date.now),
    )
    .option('--account', 'the whole account, with its keys and members')
    .option('--keep-copies', 'keep dataset items and accepted outcomes')
    .option('--dry-run', 'only show what would be deleted')
    .option('--yes', 'do not ask')
    .option('--no-wait', 'do not wait for the deletion to finish')
    .action(async (words: DeleteWords) => {
      const client = new ServiceClient(resolveConnection(words, io.env));
      await (words.account ? deleteAccount(words, client, io) : deleteTraces(words, client, io));
    });
}

async function deleteTraces(words: DeleteWords, client: ServiceClient, io: CliIo): Promise<void> {
  const request = buildDeletionRequest(words);
  const preview = await client.api.deletions.preview(request);
  const found = `${counted(preview.traces, 'trace')} with ${counted(preview.spans, 'span')}`;
  const copies = words.keepCopies
    ? 'and the test run items that replayed them'
    : 'with all copies: replays, dataset items, test run items and accepted outcomes';
  if (words.dryRun) {
    print(io, words, preview, `It would delete ${found}, ${copies}.`);
    return;
  }
  await requireConfirmation(io, words, `This deletes ${found}, ${copies}.`);
  const begun = await client.api.deletions.create(request);
  if (!words.wait) {
    print(io, words, begun, `Deletion ${begun.id} started.`);
    return;
  }
  io.stderr.write(`Deletion ${begun.id} keeps running if you press Ctrl+C.\n`);
  const ended = await waitFor(begun, preview, client, io);
  const later = ended.erased_later
    ? ' Their bytes stay in the database files until the database reuses the space.'
    : '';
  print(io, words, ended, `Deleted ${describe(ended.counts)}.${later}`);
}

async function deleteAccount(words: DeleteWords, client: ServiceClient, io: CliIo): Promise<void> {
  const { trace, session, user, key, before, keepCopies } = words;
  if ((trace ?? session ?? user ?? key ?? before ?? keepCopies) !== undefined) {
    throw new UsageError(
      '--account deletes everything, so it accepts no conditions. Remove the other options.',
    );
  }
  const { id, name } = await client.api.accounts.get();
  const what = `the account ${name} (${id}) with all its data, keys and members`;
  if (words.dryRun) {
    print(io, words, { account: { id, name } }, `It would delete ${what}.`);
    return;
  }
  await requireConfirmation(io, words, `This deletes ${what}. Its keys and members lose access.`);
  await client.api.accounts.delete();
  print(io, words, { deleted: id }, `Deleted the account ${name}. The service is deleting its data.`);
}

function buildDeletionRequest({
  trace,
  session,
  user,
  key,
  before,
  keepCopies,
}: DeleteWords): CreateDeletionRequest {
  const scope = {
    ...(trace !== undefined && { trace_ids: trace }),
    ...(session !== undefined && { session_id: session }),
    ...(user !== undefined && { user_id: user }),
    ...(key !== undefined && { trace_function_key: key }),
    ...(before !== undefined && { before }),
  };
  if (Object.keys(scope).length === 0) {
    throw new UsageError('Pass what to delete: --trace, --session, --user, --key or --before, or --account.');
  }
  return { ...scope, ...(keepCopies && { keep_copies: true }) };
}

function waitFor(
  begun: DeletionRecord,
  { traces: of }: DeletionPreview,
  client: ServiceClient,
  io: CliIo,
): Promise<DeletionRecord> {
  return showProgress(io, async (show) => {
    let printed: string | undefined;
    for (let deletion = begun; ;) {
      if (deletion.state === 'done') return deletion;
      const { error, waiting_for: waitingFor } = deletion;
      const hindrance =
        error === undefined
          ? waitingFor && `Everything is deleted. The last bytes wait for ${waitingFor}.`
          : `The deletion failed and is retried within a minute: ${error}`;
      if (hindrance !== undefined && hindrance !== printed) {
        show('');
        io.stderr.write(`${hindrance}\n`);
      }
      printed = hindrance;
      show(`${deletion.state}: ${deletion.counts.traces} of about ${of} traces`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      deletion = await client.api.deletions.get({ id: begun.id });
    }
  });
}

const NOUNS: Record<keyof DeletionCounts, string> = {
  traces: 'trace',
  spans: 'span',
  scores: 'score',
  dataset_items: 'item',
  run_items: 'item',
  accepted_outcomes: 'accepted outcome',
};
const OF: Partial<Record<keyof DeletionCounts, string>> = {
  dataset_items: ' of datasets',
  run_items: ' of test runs',
};

function describe(counts: DeletionCounts): string {
  return (Object.keys(NOUNS) as (keyof DeletionCounts)[])
    .filter((name) => name === 'traces' || counts[name] > 0)
    .map((name) => `${counted(counts[name], NOUNS[name])}${OF[name] ?? ''}`)
    .join(', ');
}
