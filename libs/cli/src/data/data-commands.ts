import type { CheckDatabaseOptions, DatabaseFacts, MaintenanceProgress } from '@dacapo/collector';
import type { Command } from 'commander';
import { ChecksFailedError, CliError } from '../errors.js';
import { EXIT_CODES } from '../exit-codes.js';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { showProgress } from '../output/progress-line.js';

interface DataOptions {
  readonly dataDir: string;
  readonly force?: true;
  readonly json?: true;
}

/** Where `dacapo serve` stores data instead of, or in addition to, a data directory. */
const ELSEWHERE = {
  DACAPO_STORAGE: { engine: 'PostgreSQL', cure: 'pg_dump and pg_restore' },
  DACAPO_SPANS: { engine: 'ClickHouse', cure: 'BACKUP DATABASE and RESTORE DATABASE of ClickHouse' },
};

/** The data is in a database server, which has backups of its own. */
class DataElsewhereError extends CliError {
  readonly code = 'CLI_DATA_ELSEWHERE';
  override readonly exitCode = EXIT_CODES.usage;

  constructor(command: string, variable: string, engine: string, cure: string) {
    super(
      `${variable} is set, but \`dacapo ${command}\` supports only SQLite. For ${engine}, use ${cure}; \`dacapo migrate-storage\` copies everything into a data directory. For the SQLite database, pass --data-dir.`,
    );
  }
}

/** `dacapo backup`, `restore` and `check` work on the files of a data directory, without a service. */
export function addDataCommands(program: Command, io: CliIo): void {
  withDataDir(program.command('backup <file>'), io)
    .description('copy the database into one file; the service may run')
    .option('--force', 'overwrite the file')
    .action(async (file: string, options: DataOptions) => {
      // Loaded on use: it takes longer than all other commands together.
      const { backupDatabase } = await import('@dacapo/collector');
      const force = options.force === true;
      const done = await showProgress(io, (show) =>
        backupDatabase(options.dataDir, file, {
          force,
          onProgress: (progress) => {
            show(describeProgress(progress));
          },
        }),
      );
      print(io, options, toFactsJson(done), `Copied and checked: ${done.path}, ${describe(done)}.`);
    });
  withDataDir(program.command('restore <file>'), io)
    .description('replace the database with a backup; the service must not run')
    .option('--force', 'replace an existing database')
    .action(async (file: string, options: DataOptions) => {
      const { restoreDatabase } = await import('@dacapo/collector');
      const force = options.force === true;
      const done = await showProgress(io, (show) =>
        restoreDatabase(file, options.dataDir, {
          force,
          onProgress: (progress) => {
            show(describeProgress(progress));
          },
        }),
      );
      print(io, options, toFactsJson(done), `Restored: ${done.path}, ${describe(done)}.`);
    });
  withDataDir(program.command('check'), io)
    .description('check the whole database for damage; the service may run')
    .option('--quick', 'skip the comparison of indexes with their tables; several times faster')
    .option('--accept-loss', 'accept missing acknowledged writes, for example after the log was removed')
    .action(async (options: DataOptions & Pick<CheckDatabaseOptions, 'quick' | 'acceptLoss'>) => {
      const { checkDatabase } = await import('@dacapo/collector');
      const { findings, lostWrites, ...facts } = await checkDatabase(options.dataDir, {
        quick: options.quick === true,
        acceptLoss: options.acceptLoss === true,
      });
      const verdict = `${findings.length === 0 ? 'Sound' : 'Damaged'}: ${facts.path}, ${describe(facts)}.`;
      const lost = `${lostWrites} acknowledged writes (batches or other changes) are missing. Restore a backup, or accept the loss with --accept-loss.`;
      const lines = [verdict, ...findings, ...(lostWrites > 0 ? [lost] : [])];
      print(io, options, { ...toFactsJson(facts), findings, lost_writes: lostWrites }, lines.join('\n'));
      if (findings.length > 0 || lostWrites > 0) throw new ChecksFailedError(['the database']);
    });
}

function withDataDir(command: Command, { env }: CliIo): Command {
  return command
    .option('--data-dir <folder>', 'the database folder', '.dacapo')
    .option('--json', 'print JSON for machines')
    .hook('preAction', () => {
      if (command.getOptionValueSource('dataDir') === 'cli') return;
      for (const [variable, { engine, cure }] of Object.entries(ELSEWHERE)) {
        if (env[variable]) throw new DataElsewhereError(command.name(), variable, engine, cure);
      }
    });
}

function describeProgress({ step, bytes, of }: MaintenanceProgress): string {
  return step === 'copy' ? `${mib(bytes)} of ${mib(of)} MiB` : 'checking the copy';
}

function describe({ bytes, spans, schema }: DatabaseFacts): string {
  return `${mib(bytes)} MiB, ${spans} spans, schema ${schema}`;
}

function toFactsJson({ path, bytes, spans, schema }: DatabaseFacts): object {
  return { path, bytes, spans, schema };
}

function mib(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
