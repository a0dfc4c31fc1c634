import { storedDecision } from '@dacapo/evaluation';
import { type Client, readPages } from '@dacapo/client';
import { type Page, type TestRunRecord, type Verdict, VERDICTS } from '@dacapo/protocol';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ServiceRefusedError, UsageError } from '../errors.js';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { wholeNumber } from '../output/read-words.js';
import { counted, table } from '../output/table.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { findRunId } from './find-run.js';
import { addGateCommand } from './gate-command.js';

interface ListWords extends ConnectionOptions {
  readonly key?: string;
  readonly limit: number;
}

interface AcceptWords extends ConnectionOptions {
  readonly verdict?: Verdict;
  readonly note?: string;
  readonly author?: string;
  readonly undo?: true;
}

/** An item that was not accepted, and why. */
interface Refused {
  readonly item_no: number;
  readonly detail: string;
}

/** `dacapo runs …`: stored test runs. */
export function addRunsCommands(program: Command, io: CliIo): void {
  const runs = program.command('runs').description('stored test runs');
  withConnection(runs.command('list'))
    .description('list test runs with the decisions of their gates, newest first')
    .option('--key <key>', 'only runs with this trace function key')
    .option('--limit <n>', 'maximum number, up to 200', wholeNumber(1, 200), 20)
    .action((words: ListWords) => list(words, io));
  withConnection(
    runs
      .command('accept')
      .argument('<run>', 'the test run: its id, which a replay prints, the beginning of its id, or its name')
      .argument('[item...]', 'item numbers', itemNo),
  )
    .description('accept the outcomes of items, so that later runs with --baseline accepted expect them')
    .addOption(new Option('--verdict <verdict>', 'all items with this verdict').choices(VERDICTS))
    .option('--note <text>', 'the reason')
    .option('--author <name>', 'the author (default: the account)')
    .option('--undo', 'undo the acceptance')
    .action((run: string, items: number[] | undefined, words: AcceptWords) =>
      accept(run, items ?? [], words, io),
    );
  addGateCommand(runs, io);
}

async function list(words: ListWords, io: CliIo): Promise<void> {
  const { key, limit } = words;
  const page = await new ServiceClient(resolveConnection(words, io.env)).api.testRuns.list({
    trace_function_key: key,
    limit,
  });
  print(io, words, page, describeRuns(page));
}

function describeRuns({ items, next_cursor: next }: Page<TestRunRecord>): string {
  if (items.length === 0) return 'No test runs. Create one with: dacapo replay';
  const columns = ['ID', 'NAME', 'KEY', 'STARTED', 'STATUS', 'DECISION'];
  const counts = ['ITEMS', 'SAME', 'CHANGED', 'UNKNOWN', 'DIVERGED', 'ERRORS'];
  const rows = items.map((run) => {
    const { totals } = run;
    const { items: all, same, changed, unknown, diverged, error } = totals;
    return [
      run.id,
      run.name ?? '',
      run.trace_function_key,
      run.created_at.slice(0, 19),
      run.status,
      storedDecision(run),
      ...[all, same, changed, unknown, diverged, error].map(String),
    ];
  });
  const text = table([[...columns, ...counts], ...rows]);
  return next === undefined ? text : `${text}There are more: raise --limit, up to 200.\n`;
}

async function accept(word: string, named: readonly number[], words: AcceptWords, io: CliIo): Promise<void> {
  if (named.length === 0 && words.verdict === undefined)
    throw new UsageError('Nothing to accept. Pass item numbers, or --verdict for all items with a verdict.');
  const service = new ServiceClient(resolveConnection(words, io.env));
  const run = await findRunId(service, word);
  const client = service.api.testRuns;
  const { note, author, undo } = words;
  const acceptance = {
    note,
    ...(author !== undefined && { author: { kind: 'person' as const, name: author } }),
  };
  const items = named.length > 0 ? named : await listItemNumbers(client, run, words);
  const done: number[] = [];
  const refused: Refused[] = [];
  for (const item of items) {
    const target = { id: run, item_no: item };
    try {
      await (undo ? client.takeBack(target) : client.accept({ ...target, ...acceptance }));
      done.push(item);
    } catch (error) {
      // One refused item does not stop the others.
      if (!(error instanceof ServiceRefusedError) || ![404, 409].includes(error.status)) throw error;
      refused.push({ item_no: item, detail: error.detail });
    }
  }
  if (done.length === 0 && refused[0] !== undefined) throw new ServiceRefusedError(409, refused[0].detail);
  const verb = words.undo ? 'taken back' : 'accepted';
  print(
    io,
    words,
    { run, [words.undo ? 'taken_back' : 'accepted']: done, refused },
    [
      `${counted(done.length, 'item')} ${verb}`,
      ...refused.map(({ item_no, detail }) => `  item ${item_no}: ${detail}`),
    ].join('\n'),
  );
}

/** Items with the verdict that are not accepted yet; with `undo`, those that are. */
async function listItemNumbers(
  client: Client['testRuns'],
  run: string,
  { verdict, undo }: AcceptWords,
): Promise<number[]> {
  const numbers: number[] = [];
  const items = { id: run, accepted: undo === true, verdict };
  for await (const page of readPages((one) => client.listItems({ ...items, ...one })))
    for (const { item_no, repetition = 0 } of page) if (repetition === 0) numbers.push(item_no);
  return numbers;
}

function itemNo(text: string, before: number[] = []): number[] {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Pass the number of an item.');
  return [...before, Number(text)];
}
