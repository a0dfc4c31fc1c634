import type { Command } from 'commander';
import { ChecksFailedError } from '../errors.js';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { table } from '../output/table.js';
import { type ConnectionOptions, resolveUrl, withConnection } from '../service/connection.js';
import { type CheckResult, runChecks } from './run-checks.js';

const MARKS = { ok: '✓', failed: '✗', skipped: '-' } as const;

/** `dacapo doctor`: checks that a traced call reaches the service from this machine, and if not, why. */
export function addDoctorCommand(program: Command, io: CliIo): void {
  withConnection(program.command('doctor'))
    .description(
      'check that the service answers, takes the key, and stores a span (under the key "dacapo.doctor")',
    )
    .action(async (options: ConnectionOptions) => {
      const url = resolveUrl(options, io.env);
      const apiKey = (options.apiKey ?? io.env.TRACER_API_KEY ?? '').trim();
      const checks = await runChecks({ url, apiKey });
      const failed = checks.filter(({ status }) => status === 'failed');
      print(io, options, { ok: failed.length === 0, url, checks }, describe(checks));
      if (failed.length > 0) throw new ChecksFailedError(failed.map(({ name }) => name));
    });
}

function describe(checks: readonly CheckResult[]): string {
  return table(checks.map(({ name, status, detail }) => [MARKS[status], name, detail]));
}
