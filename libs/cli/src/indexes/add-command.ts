import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import {
  type CreateIndexRequest,
  type DocumentUpload,
  INDEX_TYPES,
  type IndexDetail,
  type IndexType,
} from '@dacapo/protocol';
import { type Command, InvalidArgumentError } from 'commander';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { counted } from '../output/table.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { NoDocumentsError } from './errors.js';
import type { DocumentFile, SkippedFile } from './find-documents.js';
import { showProgress } from '../output/progress-line.js';
import { uploadDocuments } from './upload-documents.js';

interface AddOptions extends ConnectionOptions {
  readonly name?: string;
  readonly type: IndexType;
  readonly keep?: true;
}

export function addAddCommand(indexes: Command, io: CliIo): void {
  withConnection(indexes.command('add').argument('<path>', 'a folder or a file'))
    .description(
      'create or update an index of Markdown, HTML, text, OpenAPI descriptions and TypeScript declarations',
    )
    .option('--name <name>', 'the name in lists (default: the name of the folder or file)')
    .option('--type <type>', INDEX_TYPES.join(', '), parseType, 'OTHER')
    .option('--keep', 'keep documents that are no longer in the folder')
    .addHelpText(
      'after',
      '\nIf an index with this name and type exists, it is updated to match the folder. node_modules and dot folders are skipped.',
    )
    .action((path: string, options: AddOptions) => add(path, options, io));
}

async function add(path: string, options: AddOptions, io: CliIo): Promise<void> {
  const root = resolve(path);
  // Loaded on use, because it brings an HTML parser.
  const { findDocuments } = await import('./find-documents.js');
  const found = await findDocuments(root);
  if (found.files.length === 0) throw new NoDocumentsError(path);
  const isFolder = (await stat(root)).isDirectory();
  const wanted = { name: options.name ?? basename(root), type: options.type };
  await fillIndex(wanted, found, { ...options, keep: options.keep ?? !isFolder }, io);
}

/** Uploads documents to the index with that name and type. Removes its other documents unless `keep` is set. */
export async function fillIndex(
  wanted: CreateIndexRequest,
  { files, skipped }: { files: readonly (DocumentFile | DocumentUpload)[]; skipped: readonly SkippedFile[] },
  options: ConnectionOptions & { readonly keep?: boolean },
  io: CliIo,
): Promise<void> {
  const client = new ServiceClient(resolveConnection(options, io.env));
  const index = await findOrCreateIndex(client, wanted);
  const uploaded = await showProgress(io, (show) =>
    uploadDocuments(client, index.index_id, files, (done) => {
      show(`${done} of ${files.length} documents`);
    }),
  );
  const removed = options.keep === true ? 0 : await removeOthers(client, index.index_id, files);
  const allSkipped = [...skipped, ...uploaded.skipped];

  const { index_id, name, type } = index;
  const { added, unchanged } = uploaded;
  const counts = `${counted(added, 'document')} added, ${unchanged} unchanged, ${removed} removed`;
  print(
    io,
    options,
    { index_id, name, type, added, unchanged, removed, skipped: allSkipped },
    [`${index_id}  ${name} (${type}): ${counts}`, ...describeSkipped(allSkipped)].join('\n'),
  );
}

async function removeOthers(
  client: ServiceClient,
  index_id: string,
  files: readonly { source: string }[],
): Promise<number> {
  const kept = new Set(files.map(({ source }) => source));
  return removeDocuments(
    client,
    index_id,
    (await sourcesIn(client, index_id)).filter((source) => !kept.has(source)),
  );
}

export async function sourcesIn(client: ServiceClient, index_id: string): Promise<string[]> {
  const { items } = await client.api.indexes.documents({ index_id });
  return items.map(({ source }) => source);
}

/** @returns how many were deleted */
export async function removeDocuments(
  client: ServiceClient,
  index_id: string,
  sources: string[],
): Promise<number> {
  if (sources.length === 0) return 0;
  return (await client.api.indexes.deleteDocuments({ index_id, sources })).deleted;
}

function describeSkipped(skipped: readonly SkippedFile[]): string[] {
  if (skipped.length === 0) return [];
  return [
    `${counted(skipped.length, 'file')} skipped:`,
    ...skipped.map(({ path, reason }) => `  ${path}: ${reason}`),
  ];
}

export function parseType(text: string): IndexType {
  const type = INDEX_TYPES.find((known) => known === text.toUpperCase());
  if (type) return type;
  throw new InvalidArgumentError(`Pass one of ${INDEX_TYPES.join(', ')}.`);
}

/** Reuses the index with that name and type, so that adding a folder twice makes one index. */
export async function findOrCreateIndex(
  client: ServiceClient,
  wanted: CreateIndexRequest,
): Promise<IndexDetail> {
  const found = await findIndex(client, wanted);
  return found ?? client.api.indexes.create(wanted);
}

export async function findIndex(
  client: ServiceClient,
  wanted: CreateIndexRequest,
): Promise<IndexDetail | undefined> {
  const { items } = await client.api.indexes.list();
  return items.find(({ name, type }) => name === wanted.name && type === wanted.type);
}
