import {
  type AddDatasetVersionAnswer,
  type AddDatasetVersionRequest,
  type Verdict,
  VERDICTS,
} from '@dacapo/protocol';
import { skipReason } from '@dacapo/evaluation';
import { type Command, Option } from 'commander';
import { UsageError } from '../errors.js';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { counted } from '../output/table.js';
import { each, wholeNumber } from '../output/read-words.js';
import { toSelectionOptions, type SelectWords, withSelectWords } from '../replay/select-words.js';
import { findRunId } from '../runs/find-run.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { NoCallsToAddError, RowsRejectedError } from './errors.js';
import { type Columns, readRows } from './read-rows.js';

interface AddWords extends ConnectionOptions, SelectWords {
  readonly file?: string;
  readonly input?: readonly string[];
  readonly expected?: string;
  readonly fromKey?: string;
  readonly fromRun?: string;
  readonly verdict?: Verdict;
  readonly item?: readonly number[];
  readonly note?: string;
}

type Send = (request: AddDatasetVersionRequest) => Promise<AddDatasetVersionAnswer>;

const SOURCES = 'Pass one source of items: --file, --from-key or --from-run.';

export function addAddCommand(datasets: Command, io: CliIo): void {
  const verbatim = (text: string): string => text;
  withConnection(withSelectWords(datasets.command('add').argument('<name>', 'the dataset')))
    .description('create a version with more items, from a file, recorded calls or a test run')
    .option('--file <path>', 'JSON lines (.jsonl), or CSV with column names in the first row')
    .option('--input <column>', 'a column with an argument; repeat for the next argument', each(verbatim))
    .option('--expected <column>', 'the column with the expected value')
    .option('--from-key <key>', 'recorded calls of this trace function key')
    .option(
      '--from-run <run>',
      'items of this test run (id, its beginning, or name); their baselines become the expected values',
    )
    .addOption(new Option('--verdict <verdict>', 'items of the run with this verdict').choices(VERDICTS))
    .option('--item <n>', 'only the item with this number; repeat for more', each(wholeNumber(0)))
    .option('--note <text>', 'a note about the version')
    .addHelpText('after', '\nCells and fields that are neither argument nor expected value become metadata.')
    .action((name: string, words: AddWords) => add(name, words, io));
}

/** @throws UsageError, RowsRejectedError, NoCallsToAddError */
async function add(name: string, words: AddWords, io: CliIo): Promise<void> {
  if ([words.file, words.fromKey, words.fromRun].filter((source) => source !== undefined).length !== 1)
    throw new UsageError(SOURCES);
  const client = new ServiceClient(resolveConnection(words, io.env));
  const send: Send = (request) => client.api.datasets.addVersion({ name, note: words.note, ...request });
  const { rejected, ...added } =
    words.file === undefined
      ? await send(await buildRequest(words, client))
      : await addFile(words.file, words, send);
  // Only a file has rows to report.
  const rows = words.file === undefined ? [] : rejected.map(({ index: row, detail }) => ({ row, detail }));
  const { version, added: count, removed, unchanged, item_count: items } = added;
  const reasons = describeSkipped(added);
  print(
    io,
    words,
    { name, ...added, rejected: rows },
    [
      `${name} version ${version}: ${counted(items, 'item')}, ${count} added, ${removed} replaced, ${unchanged} unchanged`,
      ...(reasons.length === 0 ? [] : [`Skipped calls: ${reasons.join(', ')}`]),
      ...(rows.length === 0 ? [] : [`${counted(rows.length, 'row')} rejected:`]),
      ...rows.map(({ row, detail }) => `  row ${row}: ${detail}`),
    ].join('\n'),
  );
  if (rows.length > 0) throw new RowsRejectedError(rows, count);
  if (words.fromKey !== undefined && count + unchanged === 0)
    throw new NoCallsToAddError(words.fromKey, {
      isUnknown: added.unknown_key === true,
      similar: added.similar_key,
      leftOut: reasons,
    });
}

/** Skip reasons that only copying has, in addition to those of a selection. */
const NOT_COPIED: Readonly<Partial<Record<string, string>>> = {
  missing: 'deleted meanwhile',
  no_input: 'without stored input',
};

function describeSkipped({ skipped = {} }: Pick<AddDatasetVersionAnswer, 'skipped'>): string[] {
  return Object.entries(skipped).map(
    ([reason, count]) => `${count} ${NOT_COPIED[reason] ?? skipReason(reason)}`,
  );
}

async function buildRequest(words: AddWords, client: ServiceClient): Promise<AddDatasetVersionRequest> {
  const { fromKey, fromRun, verdict, item } = words;
  if (fromRun !== undefined) {
    const id = await findRunId(client, fromRun);
    return {
      from_test_run: { id, ...(verdict && { verdict }), ...(item && { item_nos: [...item] }) },
    };
  }
  const { resolveSelection } = await import('@dacapo/tracer/internal');
  const selection = resolveSelection('datasets.add.', toSelectionOptions(words));
  return { from_calls: { trace_function_key: fromKey ?? '', selection } };
}

async function addFile(file: string, columns: Columns, send: Send): Promise<AddDatasetVersionAnswer> {
  const rows = await readRows(file, columns);
  const { addInBatches } = await import('@dacapo/tracer/internal');
  return addInBatches(
    rows.map(({ row: index, ...read }) =>
      'problem' in read ? { index, detail: read.problem } : { index, ...read },
    ),
    (items) => send({ items }),
  );
}
