import { basename, resolve } from 'node:path';
import {
  type CreateIndexRequest,
  INDEX_TYPES,
  type IndexDetail,
  type IndexType,
  ROUTES,
} from '@dacapo/protocol';
import { type Command, InvalidArgumentError } from 'commander';
import { NoDocumentsError } from '../errors.js';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { counted } from '../output/table.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { findDocuments, type SkippedFile } from './find-documents.js';
import { uploadDocuments } from './upload-documents.js';

interface AddOptions extends ConnectionOptions {
  readonly name?: string;
  readonly type: IndexType;
}

export function addAddCommand(indexes: Command, io: CliIo): void {
  withConnection(indexes.command('add').argument('<path>', 'a folder or a file'))
    .description('make an index of Markdown, HTML and text files, or bring one up to date')
    .option('--name <name>', 'what lists show (the name of the folder or file)')
    .option('--type <type>', INDEX_TYPES.join(', '), parseType, 'OTHER')
    .addHelpText(
      'after',
      '\nAn index of the same name and type is added to. node_modules and dot folders are left out.',
    )
    .action((path: string, options: AddOptions) => add(path, options, io));
}

async function add(path: string, options: AddOptions, io: CliIo): Promise<void> {
  const client = new ServiceClient(resolveConnection(options, io.env));
  const { files, skipped } = await findDocuments(resolve(path));
  if (files.length === 0) throw new NoDocumentsError(path);

  const name = options.name ?? basename(resolve(path));
  const index = await findOrCreateIndex(client, { name, type: options.type });
  const uploaded = await uploadDocuments(client, index.index_id, files);
  const allSkipped = [...skipped, ...uploaded.skipped];

  const { index_id, type } = index;
  const { added, unchanged } = uploaded;
  print(
    io,
    options,
    { index_id, name, type, added, unchanged, skipped: allSkipped },
    [
      `${index_id}  ${name} (${type}): ${counted(added, 'document')} added, ${unchanged} unchanged`,
      ...describeSkipped(allSkipped),
    ].join('\n'),
  );
}

function describeSkipped(skipped: readonly SkippedFile[]): string[] {
  if (skipped.length === 0) return [];
  return [
    `${counted(skipped.length, 'file')} left out:`,
    ...skipped.map(({ path, reason }) => `  ${path}: ${reason}`),
  ];
}

function parseType(text: string): IndexType {
  const type = INDEX_TYPES.find((known) => known === text.toUpperCase());
  if (type) return type;
  throw new InvalidArgumentError(`It is one of ${INDEX_TYPES.join(', ')}.`);
}

/** The index of that name and type, so that adding the same folder again does not make a second one. */
async function findOrCreateIndex(client: ServiceClient, wanted: CreateIndexRequest): Promise<IndexDetail> {
  const { items } = await client.get<{ items: IndexDetail[] }>(ROUTES.indexes, 'items');
  const found = items.find(({ name, type }) => name === wanted.name && type === wanted.type);
  return found ?? client.post<IndexDetail>(ROUTES.indexes, wanted, 'index_id');
}
