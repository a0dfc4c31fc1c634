import type { Command } from 'commander';
import { ChecksFailedError } from '../errors.js';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { table } from '../output/table.js';
import { withStorageOptions, type StorageWords } from '../serve/storage-options.js';
import { type ConnectionOptions, resolveUrl, withConnection } from '../service/connection.js';
import { type CheckResult, runChecks } from './run-checks.js';

type DoctorOptions = ConnectionOptions & StorageWords;

const MARKS = { ok: '✓', failed: '✗', skipped: '-' } as const;

/** `dacapo doctor`: checks that a traced call reaches the service from this machine, and if not, why. */
export function addDoctorCommand(program: Command, io: CliIo): void {
  withStorageOptions(withConnection(program.command('doctor')))
    .description(
      'check the service, the clocks, the API key, a test span (key "dacapo.doctor"), and the database servers of --storage and --spans',
    )
    .action(async (options: DoctorOptions) => {
      // Lists of processes show arguments, in which there may be a password.
      if ((options.storage ?? options.spans) !== undefined) process.title = 'dacapo doctor';
      const url = resolveUrl(options, io.env);
      const apiKey = (options.apiKey ?? io.env.TRACER_API_KEY ?? '').trim();
      const checks = [...(await runChecks({ url, apiKey })), ...(await checkServers(options))];
      const failed = checks.filter(({ status }) => status === 'failed');
      print(io, options, { ok: failed.length === 0, url, checks }, describe(checks));
      if (failed.length > 0) throw new ChecksFailedError(failed.map(({ name }) => name));
    });
}

/** Checks the servers that are named. */
async function checkServers({ storage, spans, storageConnections }: DoctorOptions): Promise<CheckResult[]> {
  if (storage === undefined && spans === undefined) return [];
  const { checkDatabases } = await import('@dacapo/collector');
  const checks = await checkDatabases({
    ...(storage !== undefined && { storage }),
    ...(spans !== undefined && { spans }),
    storageConnections,
  });
  return checks.map(({ name, isOk, detail }) => ({ name, status: isOk ? 'ok' : 'failed', detail }));
}

function describe(checks: readonly CheckResult[]): string {
  return table(checks.map(({ name, status, detail }) => [MARKS[status], name, detail]));
}
