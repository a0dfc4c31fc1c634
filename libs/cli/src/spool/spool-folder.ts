import { resolve } from 'node:path';
import type { SpoolFolderSummary } from '@dacapo/tracer/internal';
import type { Command } from 'commander';
import { SpoolFolderNotFoundError } from '../errors.js';

export interface SpoolOptions {
  readonly dir?: string;
  readonly json?: true;
}

export function withSpoolDir(command: Command): Command {
  return command.option('--dir <folder>', 'delivery.spoolDir of the application; else the default folder');
}

/** The folder of all spools. */
export async function spoolRoot({ dir }: SpoolOptions): Promise<string> {
  const { defaultSpoolRoot } = await import('@dacapo/tracer/internal');
  return dir === undefined ? defaultSpoolRoot() : resolve(dir);
}

/** @throws SpoolFolderNotFoundError when nothing waits in a folder of that name, or of that beginning */
export async function findSpoolFolder(root: string, id: string): Promise<SpoolFolderSummary> {
  const { listSpoolFolders } = await import('@dacapo/tracer/internal');
  const found = (await listSpoolFolders(root)).filter((folder) => id !== '' && folder.id.startsWith(id));
  const [folder] = found;
  if (folder === undefined || found.length > 1) throw new SpoolFolderNotFoundError(id, root);
  return folder;
}
