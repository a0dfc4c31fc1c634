import { type Client, readPages } from '@dacapo/client';
import type { DatasetDetail, DatasetSummary } from '@dacapo/protocol';
import type { Command } from 'commander';
import { writeOutput } from '../output/write-output.js';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { counted, table } from '../output/table.js';
import { wholeNumber } from '../output/read-words.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { addAddCommand } from './add-command.js';

/** `dacapo datasets …`: named sets of examples, in immutable versions. */
export function addDatasetsCommands(program: Command, io: CliIo): void {
  const datasets = program.command('datasets').description('sets of examples for evaluations');
  const connect = (options: ConnectionOptions): Client['datasets'] =>
    new ServiceClient(resolveConnection(options, io.env)).api.datasets;

  withConnection(datasets.command('list'))
    .description('list datasets')
    .action(async (options: ConnectionOptions) => {
      const items: DatasetSummary[] = [];
      for await (const page of readPages(connect(options).list)) items.push(...page);
      print(io, options, { items }, describeDatasets(items));
    });

  withConnection(
    datasets.command('create').argument('<name>', 'letters, digits, dots, dashes and underscores'),
  )
    .description('create an empty dataset')
    .option('--description <text>', 'its purpose')
    .action(async (name: string, options: ConnectionOptions & { description?: string }) => {
      const created = await connect(options).create({ name, description: options.description });
      print(
        io,
        options,
        created,
        `Created dataset "${name}". Add items with: \`dacapo datasets add ${name} --file …\`.`,
      );
    });

  withConnection(datasets.command('show').argument('<name>'))
    .description('show its versions with their changes')
    .action(async (name: string, options: ConnectionOptions) => {
      const dataset = await connect(options).get({ name });
      print(io, options, dataset, describeVersions(dataset));
    });

  addAddCommand(datasets, io);

  withConnection(datasets.command('export').argument('<name>'))
    .description('write the items of a version as JSON lines, for `add --file`')
    .option('--dataset-version <n>', 'the version (default: the latest)', wholeNumber(1))
    .option('--output <file>', 'the file to write (default: stdout)')
    .option('--not-in <n>', 'only items that are not in this version', wholeNumber(0))
    .action((name: string, options: ExportWords) => exportItems(name, options, connect(options), io));

  withConnection(datasets.command('delete').argument('<name>'))
    .description('delete a dataset with all its versions and copies')
    .action(async (name: string, options: ConnectionOptions) => {
      await connect(options).delete({ name });
      print(io, options, { deleted: name }, `Deleted ${name}.`);
    });
}

interface ExportWords extends ConnectionOptions {
  readonly datasetVersion?: number;
  readonly output?: string;
  readonly notIn?: number;
}

async function exportItems(
  name: string,
  words: ExportWords,
  client: Client['datasets'],
  io: CliIo,
): Promise<void> {
  const items = { name, version: words.datasetVersion ?? ('latest' as const), not_in: words.notIn };
  const lines: string[] = [];
  for await (const page of readPages((one) => client.listItems({ ...items, ...one }))) {
    for (const { input, ...item } of page) lines.push(`${JSON.stringify({ ...item, args: input })}\n`);
  }
  const text = lines.join('');
  if (words.output === undefined) {
    io.stdout.write(text);
    return;
  }
  await writeOutput(words.output, text);
  const { output } = words;
  print(
    io,
    words,
    { name, items: lines.length, output },
    `${counted(lines.length, 'item')} written to ${output}.`,
  );
}

function describeDatasets(items: readonly DatasetSummary[]): string {
  if (items.length === 0) return 'No datasets yet. Create one: `dacapo datasets create <name>`.';
  const rows = items.map(({ name, latest_version, item_count, updated_at, description }) => [
    `${latest_version}`,
    `${item_count}`,
    updated_at.slice(0, 10),
    name,
    description ?? '',
  ]);
  return table([['VERSION', 'ITEMS', 'UPDATED', 'NAME', 'DESCRIPTION'], ...rows]);
}

function describeVersions({ name, versions }: DatasetDetail): string {
  if (versions.length === 0)
    return `${name} has no items yet. Add some: \`dacapo datasets add ${name} --file …\`.`;
  const rows = versions.map(({ version, base, item_count, added, removed, created_at, note }) => [
    `${version}`,
    `${item_count}`,
    `+${added} -${removed}`,
    base === version - 1 ? '' : `of ${base}`,
    created_at.slice(0, 10),
    note ?? '',
  ]);
  return table([['VERSION', 'ITEMS', 'CHANGE', '', 'CREATED', 'NOTE'], ...rows]);
}
