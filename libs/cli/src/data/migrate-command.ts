import type { MigratedStorage, StoragePlace } from '@dacapo/collector';
import { type Command, Option } from 'commander';
import { UsageError } from '../errors.js';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { showProgress } from '../output/progress-line.js';
import { counted, table } from '../output/table.js';

interface MigrateOptions {
  readonly from: string;
  readonly fromSpans?: string;
  readonly to: string;
  readonly toSpans?: string;
  readonly withoutSpans?: true;
  readonly json?: true;
}

/** `dacapo migrate-storage`: copies everything to another database, without a service. */
export function addMigrateCommand(program: Command, io: CliIo): void {
  const place = (flags: string, description: string, variable: string): Option =>
    new Option(flags, description).env(variable);
  program
    .command('migrate-storage')
    .description(
      'copy everything to another database and compare both. No collector may use either. To continue a stopped copy, run the same command again',
    )
    .addOption(
      place(
        '--from <place>',
        'the source: a data directory, or postgres://…',
        'DACAPO_MIGRATE_FROM',
      ).makeOptionMandatory(),
    )
    .addOption(
      place(
        '--from-spans <address>',
        'clickhouse://… of the source, if it stores its spans there',
        'DACAPO_MIGRATE_FROM_SPANS',
      ),
    )
    .addOption(
      place(
        '--to <place>',
        'the target: an empty data directory or PostgreSQL database',
        'DACAPO_MIGRATE_TO',
      ).makeOptionMandatory(),
    )
    .addOption(
      place(
        '--to-spans <address>',
        'clickhouse://… of the target, to store its spans there',
        'DACAPO_MIGRATE_TO_SPANS',
      ),
    )
    .option('--without-spans', 'copy a storage that has no spans')
    .option('--json', 'print JSON for machines')
    .action((options: MigrateOptions) => migrate(options, io));
}

async function migrate(options: MigrateOptions, io: CliIo): Promise<void> {
  // Lists of processes show arguments, in which there may be a password.
  process.title = 'dacapo migrate-storage';
  if (io.env['DACAPO_SPANS'] && options.fromSpans === undefined && options.withoutSpans !== true)
    throw new UsageError(
      'DACAPO_SPANS is set, but --from-spans is not. Pass --from-spans, or unset DACAPO_SPANS if the source has no spans in ClickHouse.',
    );
  const { migrateStorage } = await import('@dacapo/collector');
  const from = await toPlace(options.from, options.fromSpans);
  const to = await toPlace(options.to, options.toSpans);
  const { withoutSpans = false } = options;
  const migrated = await showProgress(io, (show) =>
    migrateStorage({
      from,
      to,
      withoutSpans,
      onProgress: ({ step, what, done }) => {
        show(`${done} rows and spans ${step === 'copy' ? 'copied' : 'compared'} (${what})`);
      },
    }),
  );
  print(io, options, migrated, describe(migrated));
}

async function toPlace(place: string, spans: string | undefined): Promise<StoragePlace> {
  const { toClickHouseAddress, toPostgresAddress } = await import('@dacapo/collector');
  if (place.trim() === '')
    throw new UsageError('--from and --to must not be blank. Pass a data directory or an address.');
  const stored = place.includes('://') ? { storage: toPostgresAddress(place) } : { dataDir: place };
  return spans === undefined ? stored : { ...stored, spans: toClickHouseAddress(spans) };
}

function describe({ from, to, accounts, resumed }: MigratedStorage): string {
  const rows = accounts.map(({ id, traces, spans, rows: others }) => [
    id,
    counted(traces, 'trace'),
    counted(spans, 'span'),
    counted(others, 'other row'),
  ]);
  return [
    `Copied ${from} to ${to}${resumed ? ', where an earlier copy had stopped' : ''}. Counts and checksums match.`,
    table(rows),
    'The source is unchanged. Start the collectors on the target, then delete the source.',
  ].join('\n');
}
