import type { SpoolFolderSummary } from '@dacapo/tracer/internal';
import type { Command } from 'commander';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { table } from '../output/table.js';
import { spoolRoot, type SpoolOptions, withSpoolDir } from './spool-folder.js';

export function addListCommand(spool: Command, io: CliIo): void {
  withSpoolDir(spool.command('list'))
    .description('list them, by service and key')
    .option('--json', 'print JSON for machines')
    .action(async (options: SpoolOptions) => {
      const { listSpoolFolders } = await import('@dacapo/tracer/internal');
      const root = await spoolRoot(options);
      const folders = await listSpoolFolders(root);
      print(io, options, { root, items: folders.map(jsonOf) }, describeFolders(root, folders));
    });
}

function jsonOf(folder: SpoolFolderSummary): object {
  const { id, serviceUrl, keyHint, files, left, bytes, oldestAt, testRunIds } = folder;
  return {
    ...{ id, service_url: serviceUrl, key_hint: keyHint, files, left, bytes, oldest_at: oldestAt },
    test_run_ids: testRunIds,
  };
}

function describeFolders(root: string, folders: readonly SpoolFolderSummary[]): string {
  if (folders.length === 0) return `Nothing waits in ${root}.`;
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
  return `${table([heads, ...rows])}\n\nLEFT: files whose process has ended. RUNS: test runs with reports among them. \`dacapo spool send <folder>\` sends those, \`purge\` removes them.`;
}
