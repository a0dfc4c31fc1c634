import { resolve } from 'node:path';
import type { SpoolFolderSummary } from '@dacapo/tracer/internal';
import type { Command } from 'commander';
import { CliError } from '../errors.js';

/** No spool folder has that id, or several ids start with it. */
class SpoolFolderNotFoundError extends CliError {
  readonly code = 'CLI_SPOOL_FOLDER_NOT_FOUND';

  constructor(id: string, root: string) {
    super(`${root} has no folder ${id}, or several start with it. \`dacapo spool list\` shows all.`);
  }
}

export interface SpoolOptions {
  readonly dir?: string;
  readonly json?: true;
}

export function withSpoolDir(command: Command): Command {
  return command.option(
    '--dir <folder>',
    'the spool folder, as delivery.spoolDir of the application (default: its default)',
  );
}

/** The folder that holds the spool folders. */
export async function spoolRoot({ dir }: SpoolOptions): Promise<string> {
  const { defaultSpoolRoot } = await import('@dacapo/tracer/internal');
  return dir === undefined ? defaultSpoolRoot() : resolve(dir);
}

/** @param id whole, or how it starts @throws SpoolFolderNotFoundError when none or several match */
export async function findSpoolFolder(root: string, id: string): Promise<SpoolFolderSummary> {
  const { listSpoolFolders } = await import('@dacapo/tracer/internal');
  const found = (await listSpoolFolders(root)).filter((folder) => id !== '' && folder.id.startsWith(id));
  const [folder] = found;
  if (folder === undefined || found.length > 1) throw new SpoolFolderNotFoundError(id, root);
  return folder;
}
