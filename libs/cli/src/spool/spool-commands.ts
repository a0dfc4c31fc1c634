import { type Command, InvalidArgumentError } from 'commander';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { addListCommand } from './list-command.js';
import { addSendCommand } from './send-command.js';
import { findSpoolFolder, spoolRoot, type SpoolOptions, withSpoolDir } from './spool-folder.js';

const DAY_MS = 24 * 60 * 60_000;

interface PurgeOptions extends SpoolOptions {
  readonly olderThan?: number;
  readonly quarantined?: true;
}

/** `dacapo spool …`: records that applications on this machine could not send yet. */
export function addSpoolCommands(program: Command, io: CliIo): void {
  const spool = program.command('spool').description('records that wait in files on this machine');
  addListCommand(spool, io);
  addSendCommand(spool, io);
  addPurgeCommand(spool, io);
}

function addPurgeCommand(spool: Command, io: CliIo): void {
  withSpoolDir(spool.command('purge').argument('<folder>', 'its id, from `dacapo spool list`'))
    .description('delete spooled records of ended processes, permanently')
    .option('--older-than <days>', 'only files that are at least this many days old', days)
    .option('--quarantined', 'delete the quarantined records instead')
    .option('--json', 'print JSON for machines')
    .action(async (id: string, options: PurgeOptions) => {
      const { purgeQuarantine, purgeSpoolFolder } = await import('@dacapo/tracer/internal');
      const root = await spoolRoot(options);
      const folder = await findSpoolFolder(root, id);
      const purge = options.quarantined === true ? purgeQuarantine : purgeSpoolFolder;
      const purged = await purge(root, folder.id, (options.olderThan ?? 0) * DAY_MS);
      print(io, options, purged, `Removed ${purged.records} records in ${purged.files} files.`);
    });
}

function days(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError('Pass a number of days.');
  return value;
}
