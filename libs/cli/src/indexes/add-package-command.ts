import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { NoDocumentsError, PackageNotFoundError } from '../errors.js';
import type { CliIo } from '../io.js';
import { type ConnectionOptions, withConnection } from '../service/connection.js';
import { fillIndex } from './add-command.js';
import { findDocuments } from './find-documents.js';

/** What a package brings for its own sake, or for its tests. */
const ASIDE = /(?:^|\/)(?:tests?|__tests__|fixtures|examples?|benchmarks?|coverage)\//;

export function addAddPackageCommand(indexes: Command, io: CliIo): void {
  withConnection(indexes.command('add-package').argument('<name>', 'an installed npm package'))
    .description('make an index of the README, the documents and the types of an installed npm package')
    .option('--name <name>', 'what lists show (the package with its version)')
    .option('--from <folder>', 'where it is looked for, upwards', '.')
    .action(
      async (
        name: string,
        options: ConnectionOptions & { readonly name?: string; readonly from: string },
      ) => {
        const { folder, version } = await findPackage(name, options.from);
        const { files } = await findDocuments(folder);
        const taken = files.filter(
          ({ source, contentType }) => !contentType.startsWith('application/') && !ASIDE.test(source),
        );
        if (taken.length === 0) throw new NoDocumentsError(folder);
        const wanted = { name: options.name ?? `${name}@${version}`, type: 'SDK' } as const;
        await fillIndex(wanted, { files: taken, skipped: [] }, options, io);
      },
    );
}

/** As Node looks for it: in `node_modules` of the folder, then of those above. */
async function findPackage(name: string, from: string): Promise<{ folder: string; version: string }> {
  for (let at = resolve(from), above = ''; at !== above; above = at, at = dirname(at)) {
    const folder = join(at, 'node_modules', name);
    const version = await versionIn(folder);
    if (version !== undefined) return { folder, version };
  }
  throw new PackageNotFoundError(name, resolve(from));
}

async function versionIn(folder: string): Promise<string | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const version =
      typeof manifest === 'object' && manifest !== null && 'version' in manifest && manifest.version;
    return typeof version === 'string' ? version : '0.0.0';
  } catch {
    return undefined;
  }
}
