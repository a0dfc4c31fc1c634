import { type Command, InvalidArgumentError, Option } from 'commander';

/** What {@link withStorageOptions} reads. */
export interface StorageWords {
  readonly storage?: string;
  readonly storageConnections: number;
  readonly spans?: string;
}

/** Adds the options that name the databases of a collector. */
export function withStorageOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--storage <address>',
        'a PostgreSQL database instead of the data directory, as postgres://user:password@host/database',
      ).env('DACAPO_STORAGE'),
    )
    .addOption(
      new Option(
        '--storage-connections <n>',
        'number of connections to PostgreSQL; up to five more hold locks',
      )
        .argParser(parseConnections)
        .default(20)
        .env('DACAPO_STORAGE_CONNECTIONS'),
    )
    .addOption(
      new Option(
        '--spans <address>',
        'a ClickHouse database for spans only, as clickhouse://user:password@host:8123/database',
      ).env('DACAPO_SPANS'),
    );
}

function parseConnections(text: string): number {
  const connections = Number(text);
  if (/^\d+$/.test(text) && connections >= 2 && connections <= 1000) return connections;
  throw new InvalidArgumentError('Pass a whole number from 2 to 1000.');
}
