import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { CliIo } from '../io.js';
import { type ConnectionOptions, withConnection } from '../service/connection.js';
import { NoDocumentsError, PackageNotFoundError } from './errors.js';
import { fillIndex } from './add-command.js';

/** Folders of a package that do not document it. */
const SKIPPED_FOLDERS = /(?:^|\/)(?:tests?|__tests__|fixtures|examples?|benchmarks?|coverage)\//;

export function addAddPackageCommand(indexes: Command, io: CliIo): void {
  withConnection(indexes.command('add-package').argument('<name>', 'an installed npm package'))
    .description('create an index of the README, documents and types of an installed npm package')
    .option('--name <name>', 'the name in lists (default: the package with its version)')
    .option('--from <folder>', 'the folder where the search for node_modules starts, upwards', '.')
    .action(
      async (
        name: string,
        options: ConnectionOptions & { readonly name?: string; readonly from: string },
      ) => {
        const { folder, version } = await findPackage(name, options.from);
        // Loaded on use, because it brings an HTML parser.
        const { findDocuments } = await import('./find-documents.js');
        const { files } = await findDocuments(folder);
        const taken = files.filter(
          ({ source, contentType }) =>
            !contentType.startsWith('application/') && !SKIPPED_FOLDERS.test(source),
        );
        if (taken.length === 0) throw new NoDocumentsError(folder);
        const wanted = { name: options.name ?? `${name}@${version}`, type: 'SDK' } as const;
        await fillIndex(wanted, { files: taken, skipped: [] }, options, io);
      },
    );
}

/** Searches like Node: in `node_modules` of the folder, then of its parents. */
async function findPackage(name: string, from: string): Promise<{ folder: string; version: string }> {
  for (let at = resolve(from), above = ''; at !== above; above = at, at = dirname(at)) {
    const folder = join(at, 'node_modules', name);
    const version = await readVersion(folder);
    if (version !== undefined) return { folder, version };
  }
  throw new PackageNotFoundError(name, resolve(from));
}

async function readVersion(folder: string): Promise<string | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const version =
      typeof manifest === 'object' && manifest !== null && 'version' in manifest && manifest.version;
    return typeof version === 'string' ? version : '0.0.0';
  } catch {
    return undefined;
  }
}
