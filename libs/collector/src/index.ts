export { Clock, SystemClock } from './clock.js';
export { checkDatabases, type DatabasesToCheck } from './check-databases.js';
export { createAccount } from './create-account.js';
export { CollectorModule } from './collector.module.js';
export {
  BackupExistsError,
  CannotListenError,
  CollectorError,
  DatabaseDamagedError,
  LostWritesError,
  DatabaseForeignError,
  DatabaseLostError,
  DatabaseNotFoundError,
  DatabaseThreadLostError,
  DatabaseTooNewError,
  DatabaseUnreleasedError,
  DataDirectoryInUseError,
  DataDirectoryNotWritableError,
  DeletionsOpenError,
  InvalidCursorError,
  InvalidOptionError,
  PortInUseError,
  RestoreWouldOverwriteError,
  StorageError,
  StorageFullError,
  StorageHalfCopiedError,
  StorageNotEmptyError,
  NothingToCopyError,
  SpansNotFoundError,
  StoragesDifferError,
} from './errors.js';
export { CollectorLogger, type LogFields, type LogOptions, StderrLogger } from './logger.js';
export type { OtlpOptions, OtlpTarget } from './otlp-target.js';
export { toOtlpTarget } from './otlp-target.js';
export {
  OtlpReceiverUnavailableError,
  OtlpSender,
  type OtlpSenderOptions,
  type SentSpans,
} from './forwarding/otlp-sender.js';
export { PendingSpans } from './forwarding/pending-spans.js';
export type { EmbedContext, Embedder } from './embedder.js';
export type { CollectorOptions, IndexesOptions, MetricsOptions, StartCollectorOptions } from './options.js';
export {
  migrateStorage,
  type MigratedAccount,
  type MigratedStorage,
  type MigrateStorageOptions,
  type MigrationProgress,
  type StoragePlace,
} from './migration/migrate-storage.js';
export { type RunningCollector, startCollector } from './start-collector.js';
export type { CheckOptions } from './storage/engines/sqlite/maintenance/check-database.js';
export type { DatabaseFacts } from './storage/engines/sqlite/maintenance/database-file.js';
export {
  backupDatabase,
  checkDatabase,
  type CheckDatabaseOptions,
  type CheckedDatabase,
  type MaintenanceOptions,
  type MaintenanceProgress,
  restoreDatabase,
} from './storage/engines/sqlite/maintenance/maintain-database.js';
export { type ClickHouseAddress, toClickHouseAddress } from './storage/engines/clickhouse/address.js';
export { type PostgresAddress, toPostgresAddress } from './storage/engines/postgres/address.js';
export type { DatabaseCheck } from './storage/database-check.js';
export type { Storage, StorageFactory } from './storage/storage.js';
