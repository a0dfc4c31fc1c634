import { join } from 'node:path';
import type { DeliveryStats } from '@dacapo/tracer';
import type { SentReports } from '@dacapo/tracer/internal';
import type { Command } from 'commander';
import { CliError } from '../errors.js';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import {
  type Connection,
  type ConnectionOptions,
  resolveConnection,
  withConnection,
} from '../service/connection.js';
import { findSpoolFolder, spoolRoot, type SpoolOptions, withSpoolDir } from './spool-folder.js';

/** Some records of a spool folder were not sent. */
class SpoolNotSentError extends CliError {
  readonly code = 'CLI_SPOOL_NOT_SENT';

  constructor(delivered: number, waiting: number, cause: Error | undefined) {
    const why = cause === undefined ? 'The service did not accept the rest in time.' : cause.message;
    super(`Sent ${delivered} records; ${waiting} still wait, now for this key. ${why}`, {
      cause,
    });
  }
}

type SendOptions = SpoolOptions & ConnectionOptions & { readonly quarantined?: true };

const TIMEOUT_MS = 60_000;
/** Refused reports that are printed. */
const MOST_SHOWN = 5;
/** The user asked to send these files, so none is too old. */
const ANY_AGE_MS = Number.MAX_SAFE_INTEGER;

export function addSendCommand(spool: Command, io: CliIo): void {
  withConnection(withSpoolDir(spool.command('send').argument('<folder>', 'its id, from `dacapo spool list`')))
    .description('send spooled records of ended processes, with your key')
    .option('--quarantined', 'also send the quarantined records')
    .action(async (id: string, options: SendOptions) => {
      const connection = resolveConnection(options, io.env);
      const root = await spoolRoot(options);
      const { id: folder } = await findSpoolFolder(root, id);
      if (options.quarantined === true) {
        const { requeueQuarantined } = await import('@dacapo/tracer/internal');
        await requeueQuarantined(join(root, folder));
      }
      const [stats, failure] = await sendRecords(root, folder, connection);
      const reports = await sendReports(root, folder, connection);
      const waiting = stats.waiting + reports.waiting;
      if (waiting > 0)
        throw new SpoolNotSentError(stats.delivered + reports.delivered, waiting, failure ?? reports.failure);
      const { delivered, dropped } = stats;
      const { testRuns, refused } = reports;
      const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0);
      const more = lost === 0 ? '' : ` ${lost} were dropped: ${JSON.stringify(dropped)}`;
      const lines = [`Sent ${delivered} records.${more}`];
      if (testRuns > 0) lines.push(`Sent ${reports.delivered} item reports of ${testRuns} test runs.`);
      if (refused.length > 0)
        lines.push(`${refused.length} were refused: ${refused.slice(0, MOST_SHOWN).join('; ')}`);
      const json = {
        delivered,
        dropped,
        reports: { test_runs: testRuns, delivered: reports.delivered, refused },
      };
      print(io, options, json, lines.join('\n'));
    });
}

async function sendRecords(
  root: string,
  folder: string,
  { url, apiKey }: Connection,
): Promise<[DeliveryStats, Error | undefined]> {
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
  return [delivery.stats(), failures[0]];
}

async function sendReports(root: string, folder: string, { url, apiKey }: Connection): Promise<SentReports> {
  const { sendLeftReports } = await import('@dacapo/tracer/internal');
  const where = { serviceUrl: url, apiKey, spoolDir: root, folder };
  return sendLeftReports({ ...where, timeoutMs: TIMEOUT_MS });
}
