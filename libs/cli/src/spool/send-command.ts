import type { Command } from 'commander';
import { SpoolNotSentError } from '../errors.js';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { findSpoolFolder, spoolRoot, type SpoolOptions, withSpoolDir } from './spool-folder.js';

type SendOptions = SpoolOptions & ConnectionOptions;

const TIMEOUT_MS = 60_000;
/** Whoever sends by hand has decided: nothing is too old. */
const ANY_AGE_MS = Number.MAX_SAFE_INTEGER;

export function addSendCommand(spool: Command, io: CliIo): void {
  withConnection(withSpoolDir(spool.command('send').argument('<folder>', 'as `dacapo spool list` shows it')))
    .description('send what ended processes left there, under the key that you give')
    .action(async (id: string, options: SendOptions) => {
      const connection = resolveConnection(options, io.env);
      const root = await spoolRoot(options);
      const { id: folder } = await findSpoolFolder(root, id);
      const { delivered, dropped } = await send(root, folder, connection);
      const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0);
      const more = lost === 0 ? '' : ` ${lost} were dropped: ${JSON.stringify(dropped)}`;
      print(io, options, { delivered, dropped }, `Sent ${delivered} records.${more}`);
    });
}

/** @throws SpoolNotSentError when some of it waits still */
async function send(root: string, folder: string, { url, apiKey }: { url: string; apiKey: string }) {
  const { HttpDelivery } = await import('@dacapo/tracer/internal');
  const failures: Error[] = [];
  const delivery = new HttpDelivery({
    serviceUrl: url,
    apiKey,
    timeoutMs: TIMEOUT_MS,
    takeFrom: [folder],
    options: { spoolDir: root, maxSpoolAgeMs: ANY_AGE_MS },
    report: (error) => failures.push(error),
  });
  await delivery.flush(TIMEOUT_MS, { untilAway: true });
  await delivery.shutdown();
  const stats = delivery.stats();
  if (stats.waiting > 0) throw new SpoolNotSentError(stats.delivered, stats.waiting, failures[0]);
  return stats;
}
