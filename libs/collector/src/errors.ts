/** Base of every error of this package. Compare `code`, not the class: two copies of the package may be loaded. */
export abstract class CollectorError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** An option has an invalid value. */
export class InvalidOptionError extends CollectorError {
  readonly code = 'COLLECTOR_INVALID_OPTION';

  /**
   * @param option such as `port`
   * @param problem such as `must be a whole number from 0 to 65535, not -1`
   * @param cure a sentence that says what to write instead
   */
  constructor(
    readonly option: string,
    problem: string,
    cure: string,
  ) {
    super(`Option ${option} ${problem}. ${cure}`);
  }
}

/** Another program listens on the address. */
export class PortInUseError extends CollectorError {
  readonly code = 'COLLECTOR_PORT_IN_USE';

  constructor(host: string, port: number, cause: unknown) {
    super(
      `Port ${port} of ${host} is in use. Stop the program that uses it, or choose another port. Port 0 picks a free one.`,
      { cause },
    );
  }
}

/** The service cannot listen on the address: it belongs to another machine, or needs more rights. */
export class CannotListenError extends CollectorError {
  readonly code = 'COLLECTOR_CANNOT_LISTEN';

  constructor(host: string, port: number, cause: unknown) {
    super(
      `Cannot listen on port ${port} of ${host}: ${errorMessage(cause)}. Choose an address of this machine and a port of at least 1024.`,
      { cause },
    );
  }
}

/** The error of a server that cannot listen. */
export function listenError(host: string, port: number, error: unknown): CollectorError {
  const isInUse = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  return isInUse ? new PortInUseError(host, port, error) : new CannotListenError(host, port, error);
}

/** The data directory cannot be created or written. */
export class DataDirectoryNotWritableError extends CollectorError {
  readonly code = 'COLLECTOR_DATA_DIR_NOT_WRITABLE';

  constructor(directory: string, cause: unknown) {
    super(
      `Cannot write to the data directory ${directory}: ${errorMessage(cause)}. Make it writable for this user, or choose another one (dataDir; \`--data-dir\` of \`dacapo serve\`).`,
      { cause },
    );
  }
}

/** Another collector uses the data directory. */
export class DataDirectoryInUseError extends CollectorError {
  readonly code = 'COLLECTOR_DATA_DIR_IN_USE';

  constructor(directory: string, cause?: unknown) {
    super(
      `Another collector uses the data directory ${directory}. Stop it, or use another directory (dataDir; \`--data-dir\` of \`dacapo serve\`).`,
      { cause },
    );
  }
}

/** A later version of the collector wrote the database. */
export class DatabaseTooNewError extends CollectorError {
  readonly code = 'COLLECTOR_DATABASE_TOO_NEW';

  constructor(path: string, found: number, known: number) {
    super(
      `The database ${path} has schema ${found}; this collector knows schemas up to ${known}. Install the version of @dacapo/collector that wrote it, or a later one.`,
    );
  }
}

/** A version from before the first release wrote the database. */
export class DatabaseUnreleasedError extends CollectorError {
  readonly code = 'COLLECTOR_DATABASE_UNRELEASED';

  constructor(path: string) {
    super(
      `The database ${path} was written by a version from before the first release, and cannot be upgraded. With that version, run \`dacapo export\` and \`dacapo datasets export\`, start this one with an empty data directory, and import the files. Accounts, keys, members, test runs, indexes and functions cannot be moved: create them again.`,
    );
  }
}

/** The database file belongs to another program. */
export class DatabaseForeignError extends CollectorError {
  readonly code = 'COLLECTOR_DATABASE_FOREIGN';

  constructor(path: string) {
    super(
      `${path} is not a collector's database, so it was not changed. Use another directory (dataDir; \`--data-dir\` of \`dacapo serve\`), or restore a backup with \`dacapo restore\`.`,
    );
  }
}

/** The database or its write-ahead log was emptied or removed. Starting would lose the data and look like a new installation. */
export class DatabaseLostError extends CollectorError {
  readonly code = 'COLLECTOR_DATABASE_LOST';

  constructor(path: string) {
    super(
      `${path} had data and is now empty: the database or its log ${path}-wal was truncated or removed. Restore a backup with \`dacapo restore\`. To start with an empty database, move the data directory away.`,
    );
  }
}

/** The database does not exist. */
export class DatabaseNotFoundError extends CollectorError {
  readonly code = 'COLLECTOR_DATABASE_NOT_FOUND';

  constructor(path: string) {
    super(
      `The database ${path} does not exist. Pass the data directory of a collector (\`--data-dir\`), or a backup.`,
    );
  }
}

/** A backup would overwrite a file. */
export class BackupExistsError extends CollectorError {
  readonly code = 'COLLECTOR_BACKUP_EXISTS';

  constructor(path: string) {
    super(`${path} exists. Choose another name, or overwrite it (force; \`--force\`).`);
  }
}

/** A restore would overwrite a database. */
export class RestoreWouldOverwriteError extends CollectorError {
  readonly code = 'COLLECTOR_RESTORE_WOULD_OVERWRITE';

  constructor(path: string) {
    super(`${path} has data. Restore into another data directory, or replace the data (force; \`--force\`).`);
  }
}

/** The target of a migration holds data that is not of this migration. */
export class StorageNotEmptyError extends CollectorError {
  readonly code = 'COLLECTOR_STORAGE_NOT_EMPTY';

  /** @param place without a password */
  constructor(place: string) {
    super(`${place} is not empty, so nothing was copied. Name an empty database or a new folder.`);
  }
}

/** A migration that did not end left the storage half filled. */
export class StorageHalfCopiedError extends CollectorError {
  readonly code = 'COLLECTOR_STORAGE_HALF_COPIED';

  /** @param place and source without passwords */
  constructor(place: string, source: string) {
    super(
      `${place} is an unfinished copy of ${source}. Run the same \`dacapo migrate-storage\` again to finish it, or empty it.`,
    );
  }
}

/** Deletions of the source of a migration are not done. */
export class DeletionsOpenError extends CollectorError {
  readonly code = 'COLLECTOR_DELETIONS_OPEN';

  constructor(place: string) {
    super(
      `${place} has open deletions, so it was not copied. Start its collector, wait until \`dacapo_deletions_open\` or the Settings page shows none, stop it, and try again.`,
    );
  }
}

/** After a migration, source and target do not hold the same. */
export class StoragesDifferError extends CollectorError {
  readonly code = 'COLLECTOR_STORAGES_DIFFER';

  constructor(place: string, difference: string) {
    super(
      `The copy in ${place} differs from its source: ${difference}. Collectors refuse it. Stop all collectors of the source, empty the target, and migrate again.`,
    );
  }
}

/** No collector ever stored in what is to be copied. */
export class NothingToCopyError extends CollectorError {
  readonly code = 'COLLECTOR_NOTHING_TO_COPY';

  constructor(place: string) {
    super(
      `${place} has no account, so no collector ever stored there. Name the storage that your collector uses.`,
    );
  }
}

/** The storage that is to be copied has no spans, or they are in another database. */
export class SpansNotFoundError extends CollectorError {
  readonly code = 'COLLECTOR_SPANS_NOT_FOUND';

  constructor(place: string) {
    super(
      `No spans were found in ${place}. If they are in ClickHouse, name it: --from-spans. If there are none, pass --without-spans.`,
    );
  }
}

/** A database operation failed. */
export class StorageError extends CollectorError {
  readonly code: string = 'COLLECTOR_STORAGE_FAILED';

  constructor(
    problem: string,
    cause?: unknown,
    cure = 'Check that the disk of the data directory has space, and that no other program changes the database.',
  ) {
    super(`Storage failed: ${problem}. ${cure}`, { cause });
  }
}

/** The disk is full, or the database has its maximum size. Stored data is not lost. */
export class StorageFullError extends StorageError {
  override readonly code = 'COLLECTOR_STORAGE_FULL';

  constructor(cause?: unknown) {
    super(
      'the disk or the database is full',
      cause,
      'Free disk space, delete traces, or raise maxDatabaseBytes.',
    );
  }
}

/** Parts of the database cannot be read: it was truncated, or another program changed it. */
export class DatabaseDamagedError extends StorageError {
  override readonly code = 'COLLECTOR_DATABASE_DAMAGED';
  /** When the whole database was last checked, if known. */
  checkedAt?: string | undefined;

  /** @param finding such as `page 7 is never used` */
  constructor(finding: string, cause?: unknown) {
    super(
      `the database is damaged: ${finding}`,
      cause,
      '`dacapo check` lists the damage. Restore a backup with `dacapo restore`.',
    );
  }
}

/** Acknowledged writes are not in the database: its log was damaged, cut short or removed. */
export class LostWritesError extends StorageError {
  override readonly code = 'COLLECTOR_LOST_WRITES';

  /** @param lost the number of writes, and when the service found the loss */
  constructor(readonly lost: { foundAt: string; writes: number }) {
    super(
      `${lost.writes} acknowledged writes (batches or other changes) are missing, found on ${lost.foundAt}: the database's log was damaged, cut short or removed, or an older copy of the database was restored`,
      undefined,
      'Restore a backup with `dacapo restore`, or continue without them: `dacapo check --accept-loss`.',
    );
  }
}

/** A thread of the database ended and could not be restarted. Stored data is not lost. */
export class DatabaseThreadLostError extends StorageError {
  override readonly code = 'COLLECTOR_DATABASE_THREAD_LOST';

  constructor(cause: StorageError) {
    super(
      'a database thread ended and cannot be restarted',
      cause,
      'Start the service again, with more memory if it ran out.',
    );
  }
}

/** The cursor is not one of this list. */
export class InvalidCursorError extends CollectorError {
  readonly code = 'COLLECTOR_INVALID_CURSOR';

  constructor() {
    super('cursor does not belong to this list. Omit it to start from the first page.');
  }
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
