import { STATUS_CODES } from 'node:http';
import type { SpoolFolderSummary } from '@dacapo/tracer/internal';
import type { Command } from 'commander';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { table } from '../output/table.js';
import { spoolRoot, type SpoolOptions, withSpoolDir } from './spool-folder.js';

const WAITING_LEGEND =
  'LEFT: files of ended processes. RUNS: test runs with reports in these files. `dacapo spool send <folder>` sends them, `purge` deletes them.';
const QUARANTINE_LEGEND =
  'QUARANTINE: records that the service refused. `send <folder> --quarantined` sends them again, `purge <folder> --quarantined` deletes them.';

export function addListCommand(spool: Command, io: CliIo): void {
  withSpoolDir(spool.command('list'))
    .description('list spooled records by service and key')
    .option('--json', 'print JSON for machines')
    .action(async (options: SpoolOptions) => {
      const { listSpoolFolders } = await import('@dacapo/tracer/internal');
      const root = await spoolRoot(options);
      const folders = await listSpoolFolders(root);
      print(io, options, { root, items: folders.map(toJson) }, describeFolders(root, folders));
    });
}

function toJson(folder: SpoolFolderSummary): object {
  const { oldestAt, ...quarantined } = folder.quarantined;
  return {
    id: folder.id,
    service_url: folder.serviceUrl,
    key_hint: folder.keyHint,
    files: folder.files,
    left: folder.left,
    bytes: folder.bytes,
    oldest_at: folder.oldestAt,
    test_run_ids: folder.testRunIds,
    quarantined: { ...quarantined, oldest_at: oldestAt },
  };
}

function describeFolders(root: string, folders: readonly SpoolFolderSummary[]): string {
  if (folders.length === 0) return `No records wait in ${root}.`;
  const rows = folders.map(({ id, serviceUrl, keyHint, files, left, bytes, testRunIds, oldestAt = '' }) => [
    id.slice(0, 8),
    `${files}`,
    `${left}`,
    `${testRunIds.length}`,
    `${Math.ceil(bytes / 1024)}`,
    oldestAt.slice(0, 10),
    keyHint ?? '?',
    serviceUrl ?? '?',
  ]);
  const heads = ['FOLDER', 'FILES', 'LEFT', 'RUNS', 'KIB', 'OLDEST', 'KEY', 'SERVICE'];
  const quarantined = folders.filter((folder) => folder.quarantined.files > 0);
  return [table([heads, ...rows]), WAITING_LEGEND, ...describeQuarantine(quarantined)].join('\n\n');
}

function describeQuarantine(folders: readonly SpoolFolderSummary[]): string[] {
  if (folders.length === 0) return [];
  const rows = folders.map(({ id, serviceUrl, quarantined: { files, bytes, oldestAt = '', reasons } }) => [
    id.slice(0, 8),
    `${files}`,
    `${Math.ceil(bytes / 1024)}`,
    oldestAt.slice(0, 10),
    Object.entries(reasons)
      .map(([reason, count]) => `${count} ${describeReason(reason)}`)
      .join(', '),
    serviceUrl ?? '?',
  ]);
  const heads = ['QUARANTINE', 'FILES', 'KIB', 'OLDEST', 'REASON', 'SERVICE'];
  return [table([heads, ...rows]), QUARANTINE_LEGEND];
}

function describeReason(reason: string): string {
  if (reason === 'damaged') return reason;
  const text = STATUS_CODES[reason];
  return `refused with ${reason}${text === undefined ? '' : ` ${text}`}`;
}
