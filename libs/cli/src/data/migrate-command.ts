import type { MigratedStorage, MigrationProgress, StoragePlace } from '@dacapo/collector';
import { type Command, Option } from 'commander';
import { UsageError } from '../errors.js';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { counted, table } from '../output/table.js';
import { CLEAR_LINE } from '../output/waiting-line.js';

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
      'copy everything to another database and compare both; no collector may run on either. A stopped copy continues when you run the same command again',
    )
    .addOption(
      place(
        '--from <place>',
        'the data directory or the address postgres://… to copy',
        'DACAPO_MIGRATE_FROM',
      ).makeOptionMandatory(),
    )
    .addOption(
      place('--from-spans <address>', 'clickhouse://… if its spans are there', 'DACAPO_MIGRATE_FROM_SPANS'),
    )
    .addOption(
      place(
        '--to <place>',
        'an empty data directory or PostgreSQL database',
        'DACAPO_MIGRATE_TO',
      ).makeOptionMandatory(),
    )
    .addOption(
      place('--to-spans <address>', 'clickhouse://… to store its spans there', 'DACAPO_MIGRATE_TO_SPANS'),
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
  const isShown = io.stderr.isTTY === true;
  const onProgress = ({ step, what, done }: MigrationProgress): void => {
    const verb = step === 'copy' ? 'copied' : 'compared';
    if (isShown) io.stderr.write(`${CLEAR_LINE}${done} rows and spans ${verb} (${what})`);
  };
  const { withoutSpans = false } = options;
  const migrated = await migrateStorage({ from, to, withoutSpans, onProgress }).finally(() => {
    if (isShown) io.stderr.write(CLEAR_LINE);
  });
  print(io, options, migrated, describe(migrated));
}

async function toPlace(place: string, spans: string | undefined): Promise<StoragePlace> {
  const { toClickHouseAddress, toPostgresAddress } = await import('@dacapo/collector');
  if (place.trim() === '') throw new UsageError('A place is blank. Name a data directory or an address.');
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
    `Copied ${from} to ${to}${resumed ? ', where an earlier copy had stopped' : ''}. Counts and checksums are the same.`,
    table(rows),
    'The source is unchanged. Start the collectors on the new place, then delete the old one.',
  ].join('\n');
}
